<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE peerAnnotation [
 <!ELEMENT peerAnnotation (pyramid,annotation)>
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT annotation (text,peerscu+)>
 <!ELEMENT peerscu (contributor*)>
 <!ATTLIST peerscu uid CDATA #REQUIRED
                   label CDATA #REQUIRED>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor)+>
 <!ATTLIST scu uid CDATA #REQUIRED
               label CDATA #REQUIRED
               comment CDATA #IMPLIED>
 <!ELEMENT contributor (part)+>
 <!ATTLIST contributor label CDATA #REQUIRED
                       comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED
                start CDATA #REQUIRED
                end   CDATA #REQUIRED>
]>
<peerAnnotation>
<pyramid>
 <text>
  <line></line>
  <line>-----------------</line>
  <line> S0105.M.100.S.A</line>
  <line>-----------------</line>
  <line></line>
  <line>Mount Hasko, silent for 61 years, erupted on the island of Orvane on 3 March.</line>
  <line>Some 8,000 people living on the south coast were evacuated, most of them by navy ships and trawlers.</line>
  <line>Lava destroyed the fishing village of Sérannes, and three people died in the eruption.</line>
  <line>Falling ash forced Lemme airport to close on Tuesday; it reopened on Sunday, after the ash had been swept from the runway.</line>
  <line>Scientists had warned two weeks earlier that the volcano was about to erupt, but the government did nothing.</line>
  <line>The government has now promised 90 million crowns to rebuild the coast and will move Sérannes to a site six kilometres inland.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0105.M.100.S.B</line>
  <line>-----------------</line>
  <line></line>
  <line>The first outburst of Mount Hasko in more than six decades came on Tuesday, 3 March, and hurled ash eleven kilometres into the sky.</line>
  <line>Vessels of the navy and of local fishermen took families away from the southern shore of Orvane; in all, about 8,000 inhabitants were brought to safety.</line>
  <line>At Lemme airport, 140 departures and arrivals were called off.</line>
  <line>Molten rock wiped out Sérannes, a village of fishermen, while mud entombed every second house in Colbay.</line>
  <line>Volcanologists fear that the mountain will explode again within months.</line>
  <line>New homes for the people of Sérannes are to go up six kilometres from the sea, a plan that many residents, who live from fishing, reject.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0105.M.100.S.C</line>
  <line>-----------------</line>
  <line></line>
  <line>Ending 61 years of inactivity, Mount Hasko began to spew lava and ash on 3 March.</line>
  <line>The authorities moved 8,000 residents off the southern coast of the island.</line>
  <line>Ash put the airport of Lemme out of service from Tuesday, and airlines cancelled 140 flights.</line>
  <line>Streams of lava left nothing standing in Sérannes and set fire to 70 fishing boats in the harbour.</line>
  <line>In Colbay, half the houses were buried by mud after heavy rain.</line>
  <line>Researchers had predicted the eruption a fortnight before and now say that Hasko could erupt a second time this year.</line>
  <line>Ministers have set aside 90 million crowns for reconstruction, far less than the damage, which is put at 240 million crowns.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0105.M.100.S.D</line>
  <line>-----------------</line>
  <line></line>
  <line>The fishing village of Sérannes no longer exists: on 3 March, when Mount Hasko erupted, lava covered all houses.</line>
  <line>The disaster cost three lives, and dozens of people were treated for breathing problems.</line>
  <line>Roughly 8,000 islanders left in an evacuation with navy patrol boats and fishing boats.</line>
  <line>Lemme airport, closed on Tuesday because of ash, received flights again from Sunday.</line>
  <line>An alert issued by the observatory two weeks in advance had been ignored by ministers; the observatory now warns of a further eruption.</line>
  <line>Rebuilding will receive 90 million crowns of state money.</line>
  <line>Colbay, whose inhabitants returned home in April, will be repaired on its old site, but families from Sérannes are still sleeping in schools.</line>
  <line></line>
 </text>
 <scu uid="1" label="The volcano Mount Hasko erupted on 3 March">
  <contributor label="Mount Hasko...erupted on the island of Orvane on 3 March">
   <part label="Mount Hasko" start="55" end="66"/>
   <part label="erupted on the island of Orvane on 3 March" start="89" end="131"/>
  </contributor>
  <contributor label="The first outburst of Mount Hasko in more than six decades came on Tuesday, 3 March">
   <part label="The first outburst of Mount Hasko in more than six decades came on Tuesday, 3 March" start="735" end="818"/>
  </contributor>
  <contributor label="Mount Hasko began to spew lava and ash on 3 March">
   <part label="Mount Hasko began to spew lava and ash on 3 March" start="1484" end="1533"/>
  </contributor>
  <contributor label="Mount Hasko erupted...on 3 March">
   <part label="Mount Hasko erupted" start="2233" end="2252"/>
   <part label="on 3 March" start="2216" end="2226"/>
  </contributor>
 </scu>
 <scu uid="2" label="About 8,000 islanders were evacuated">
  <contributor label="Some 8,000 people...were evacuated">
   <part label="Some 8,000 people" start="133" end="150"/>
   <part label="were evacuated" start="177" end="191"/>
  </contributor>
  <contributor label="in all, about 8,000 inhabitants were brought to safety">
   <part label="in all, about 8,000 inhabitants were brought to safety" start="964" end="1018"/>
  </contributor>
  <contributor label="The authorities moved 8,000 residents off the southern coast">
   <part label="The authorities moved 8,000 residents off the southern coast" start="1535" end="1595"/>
  </contributor>
  <contributor label="Roughly 8,000 islanders left in an evacuation">
   <part label="Roughly 8,000 islanders left in an evacuation" start="2368" end="2413"/>
  </contributor>
 </scu>
 <scu uid="3" label="The village of Sérannes was totally destroyed by lava">
  <contributor label="Lava destroyed the fishing village of Sérannes">
   <part label="Lava destroyed the fishing village of Sérannes" start="234" end="280"/>
  </contributor>
  <contributor label="Molten rock wiped out Sérannes, a village of fishermen">
   <part label="Molten rock wiped out Sérannes, a village of fishermen" start="1083" end="1137"/>
  </contributor>
  <contributor label="Streams of lava left nothing standing in Sérannes">
   <part label="Streams of lava left nothing standing in Sérannes" start="1705" end="1754"/>
  </contributor>
  <contributor label="The fishing village of Sérannes no longer exists...lava covered all houses">
   <part label="The fishing village of Sérannes no longer exists" start="2166" end="2214"/>
   <part label="lava covered all houses" start="2254" end="2277"/>
  </contributor>
 </scu>
 <scu uid="4" label="Mount Hasko had not erupted for more than 60 years">
  <contributor label="Mount Hasko, silent for 61 years">
   <part label="Mount Hasko, silent for 61 years" start="55" end="87"/>
  </contributor>
  <contributor label="The first outburst of Mount Hasko in more than six decades">
   <part label="The first outburst of Mount Hasko in more than six decades" start="735" end="793"/>
  </contributor>
  <contributor label="Ending 61 years of inactivity, Mount Hasko">
   <part label="Ending 61 years of inactivity, Mount Hasko" start="1453" end="1495"/>
  </contributor>
 </scu>
 <scu uid="5" label="People were evacuated from the south coast of Orvane">
  <contributor label="people living on the south coast were evacuated">
   <part label="people living on the south coast were evacuated" start="144" end="191"/>
  </contributor>
  <contributor label="Vessels of the navy and of local fishermen took families away from the southern shore of Orvane">
   <part label="Vessels of the navy and of local fishermen took families away from the southern shore of Orvane" start="867" end="962"/>
  </contributor>
  <contributor label="The authorities moved 8,000 residents off the southern coast of the island">
   <part label="The authorities moved 8,000 residents off the southern coast of the island" start="1535" end="1609"/>
  </contributor>
 </scu>
 <scu uid="6" label="Navy vessels and fishing boats carried people away in the evacuation">
  <contributor label="8,000 people...were evacuated, most of them by navy ships and trawlers">
   <part label="8,000 people" start="138" end="150"/>
   <part label="were evacuated, most of them by navy ships and trawlers" start="177" end="232"/>
  </contributor>
  <contributor label="Vessels of the navy and of local fishermen took families away">
   <part label="Vessels of the navy and of local fishermen took families away" start="867" end="928"/>
  </contributor>
  <contributor label="an evacuation with navy patrol boats and fishing boats">
   <part label="an evacuation with navy patrol boats and fishing boats" start="2400" end="2454"/>
  </contributor>
 </scu>
 <scu uid="7" label="Ash caused the closure of Lemme airport on Tuesday">
  <contributor label="Falling ash forced Lemme airport to close on Tuesday">
   <part label="Falling ash forced Lemme airport to close on Tuesday" start="321" end="373"/>
  </contributor>
  <contributor label="Ash put the airport of Lemme out of service from Tuesday">
   <part label="Ash put the airport of Lemme out of service from Tuesday" start="1611" end="1667"/>
  </contributor>
  <contributor label="Lemme airport, closed on Tuesday because of ash">
   <part label="Lemme airport, closed on Tuesday because of ash" start="2456" end="2503"/>
  </contributor>
 </scu>
 <scu uid="8" label="Flights at Lemme airport started again on Sunday">
  <contributor label="Lemme airport...reopened on Sunday">
   <part label="Lemme airport" start="340" end="353"/>
   <part label="reopened on Sunday" start="378" end="396"/>
  </contributor>
  <contributor label="Lemme airport...received flights again from Sunday">
   <part label="Lemme airport" start="2456" end="2469"/>
   <part label="received flights again from Sunday" start="2505" end="2539"/>
  </contributor>
 </scu>
 <scu uid="9" label="A total of 140 flights were cancelled">
  <contributor label="At Lemme airport, 140 departures and arrivals were called off">
   <part label="At Lemme airport, 140 departures and arrivals were called off" start="1020" end="1081"/>
  </contributor>
  <contributor label="airlines cancelled 140 flights">
   <part label="airlines cancelled 140 flights" start="1673" end="1703"/>
  </contributor>
 </scu>
 <scu uid="10" label="Scientists gave warning of the eruption two weeks before it happened">
  <contributor label="Scientists had warned two weeks earlier that the volcano was about to erupt">
   <part label="Scientists had warned two weeks earlier that the volcano was about to erupt" start="444" end="519"/>
  </contributor>
  <contributor label="Researchers had predicted the eruption a fortnight before">
   <part label="Researchers had predicted the eruption a fortnight before" start="1868" end="1925"/>
  </contributor>
  <contributor label="An alert issued by the observatory two weeks in advance">
   <part label="An alert issued by the observatory two weeks in advance" start="2541" end="2596"/>
  </contributor>
 </scu>
 <scu uid="11" label="Scientists warn of another eruption of Mount Hasko">
  <contributor label="Volcanologists fear that the mountain will explode again within months">
   <part label="Volcanologists fear that the mountain will explode again within months" start="1188" end="1258"/>
  </contributor>
  <contributor label="Researchers...now say that Hasko could erupt a second time this year">
   <part label="Researchers" start="1868" end="1879"/>
   <part label="now say that Hasko could erupt a second time this year" start="1930" end="1984"/>
  </contributor>
  <contributor label="the observatory now warns of a further eruption">
   <part label="the observatory now warns of a further eruption" start="2628" end="2675"/>
  </contributor>
 </scu>
 <scu uid="12" label="The government failed to act on the warning before the eruption">
  <contributor label="the government did nothing...Scientists had warned two weeks earlier">
   <part label="the government did nothing" start="525" end="551"/>
   <part label="Scientists had warned two weeks earlier" start="444" end="483"/>
  </contributor>
  <contributor label="An alert issued by the observatory two weeks in advance had been ignored by ministers">
   <part label="An alert issued by the observatory two weeks in advance had been ignored by ministers" start="2541" end="2626"/>
  </contributor>
 </scu>
 <scu uid="13" label="The government provides 90 million crowns for rebuilding">
  <contributor label="The government has now promised 90 million crowns to rebuild the coast">
   <part label="The government has now promised 90 million crowns to rebuild the coast" start="553" end="623"/>
  </contributor>
  <contributor label="Ministers have set aside 90 million crowns for reconstruction">
   <part label="Ministers have set aside 90 million crowns for reconstruction" start="1986" end="2047"/>
  </contributor>
  <contributor label="Rebuilding will receive 90 million crowns of state money">
   <part label="Rebuilding will receive 90 million crowns of state money" start="2677" end="2733"/>
  </contributor>
 </scu>
 <scu uid="14" label="A total of three people were killed by the eruption">
  <contributor label="three people died in the eruption">
   <part label="three people died in the eruption" start="286" end="319"/>
  </contributor>
  <contributor label="The disaster cost three lives">
   <part label="The disaster cost three lives" start="2279" end="2308"/>
  </contributor>
 </scu>
 <scu uid="15" label="Mud buried half of the houses in Colbay">
  <contributor label="mud entombed every second house in Colbay">
   <part label="mud entombed every second house in Colbay" start="1145" end="1186"/>
  </contributor>
  <contributor label="In Colbay, half the houses were buried by mud">
   <part label="In Colbay, half the houses were buried by mud" start="1804" end="1849"/>
  </contributor>
 </scu>
 <scu uid="16" label="Sérannes is to be rebuilt six kilometres away from the coast">
  <contributor label="The government...will move Sérannes to a site six kilometres inland">
   <part label="The government" start="553" end="567"/>
   <part label="will move Sérannes to a site six kilometres inland" start="628" end="678"/>
  </contributor>
  <contributor label="New homes for the people of Sérannes are to go up six kilometres from the sea">
   <part label="New homes for the people of Sérannes are to go up six kilometres from the sea" start="1260" end="1337"/>
  </contributor>
 </scu>
 <scu uid="17" label="Many villagers oppose the relocation of Sérannes inland">
  <contributor label="many residents, who live from fishing, reject...New homes for the people of Sérannes are to go up six kilometres from the sea">
   <part label="many residents, who live from fishing, reject" start="1351" end="1396"/>
   <part label="New homes for the people of Sérannes are to go up six kilometres from the sea" start="1260" end="1337"/>
  </contributor>
 </scu>
 <scu uid="18" label="The eruption threw ash eleven kilometres high">
  <contributor label="The first outburst of Mount Hasko...hurled ash eleven kilometres into the sky">
   <part label="The first outburst of Mount Hasko" start="735" end="768"/>
   <part label="hurled ash eleven kilometres into the sky" start="824" end="865"/>
  </contributor>
 </scu>
 <scu uid="19" label="Lava burned 70 fishing boats in the harbour of Sérannes">
  <contributor label="Streams of lava...in Sérannes...set fire to 70 fishing boats in the harbour">
   <part label="Streams of lava" start="1705" end="1720"/>
   <part label="in Sérannes" start="1743" end="1754"/>
   <part label="set fire to 70 fishing boats in the harbour" start="1759" end="1802"/>
  </contributor>
 </scu>
 <scu uid="20" label="Damage caused by the eruption is estimated at 240 million crowns">
  <contributor label="the damage, which is put at 240 million crowns">
   <part label="the damage, which is put at 240 million crowns" start="2063" end="2109"/>
  </contributor>
 </scu>
 <scu uid="21" label="Dozens of people needed treatment because of breathing problems">
  <contributor label="dozens of people were treated for breathing problems">
   <part label="dozens of people were treated for breathing problems" start="2314" end="2366"/>
  </contributor>
 </scu>
 <scu uid="22" label="The people of Colbay went back home in April">
  <contributor label="Colbay, whose inhabitants returned home in April">
   <part label="Colbay, whose inhabitants returned home in April" start="2735" end="2783"/>
  </contributor>
 </scu>
 <scu uid="23" label="Colbay will be restored on the same site as before">
  <contributor label="Colbay...will be repaired on its old site">
   <part label="Colbay" start="2735" end="2741"/>
   <part label="will be repaired on its old site" start="2785" end="2817"/>
  </contributor>
 </scu>
 <scu uid="24" label="Families who lived in Sérannes are still housed in schools">
  <contributor label="families from Sérannes are still sleeping in schools">
   <part label="families from Sérannes are still sleeping in schools" start="2823" end="2875"/>
  </contributor>
 </scu>
</pyramid>
<annotation>
 <text>
  <line>Mount Hasko on the island of Orvane erupted on 3 March after being quiet for 61 years.</line>
  <line>About 8,000 people were evacuated from the south coast, many of them on ships of the navy and on fishing boats.</line>
  <line>The village of Sérannes was destroyed by lava, and three people were killed by the eruption.</line>
  <line>The airport at Lemme closed on Tuesday because of the ash and opened again on Sunday.</line>
  <line>Scientists had given warning of the eruption two weeks earlier and now expect another eruption.</line>
  <line>The government will pay 90 million crowns for rebuilding, and the new Sérannes will stand six kilometres from the coast.</line>
  <line>A concert in Lemme raised money for homeless families.</line>
 </text>
 <peerscu uid="1" label="(4) The volcano Mount Hasko erupted on 3 March">
  <contributor label="Mount Hasko on the island of Orvane erupted on 3 March">
   <part label="Mount Hasko on the island of Orvane erupted on 3 March" start="0" end="54"/>
  </contributor>
 </peerscu>
 <peerscu uid="2" label="(4) About 8,000 islanders were evacuated">
  <contributor label="About 8,000 people were evacuated">
   <part label="About 8,000 people were evacuated" start="87" end="120"/>
  </contributor>
 </peerscu>
 <peerscu uid="3" label="(4) The village of Sérannes was totally destroyed by lava">
  <contributor label="The village of Sérannes was destroyed by lava">
   <part label="The village of Sérannes was destroyed by lava" start="199" end="244"/>
  </contributor>
 </peerscu>
 <peerscu uid="4" label="(3) Mount Hasko had not erupted for more than 60 years">
  <contributor label="Mount Hasko...being quiet for 61 years">
   <part label="Mount Hasko" start="0" end="11"/>
   <part label="being quiet for 61 years" start="61" end="85"/>
  </contributor>
 </peerscu>
 <peerscu uid="5" label="(3) People were evacuated from the south coast of Orvane">
  <contributor label="people were evacuated from the south coast">
   <part label="people were evacuated from the south coast" start="99" end="141"/>
  </contributor>
 </peerscu>
 <peerscu uid="6" label="(3) Navy vessels and fishing boats carried people away in the evacuation">
  <contributor label="people were evacuated...many of them on ships of the navy and on fishing boats">
   <part label="people were evacuated" start="99" end="120"/>
   <part label="many of them on ships of the navy and on fishing boats" start="143" end="197"/>
  </contributor>
 </peerscu>
 <peerscu uid="7" label="(3) Ash caused the closure of Lemme airport on Tuesday">
  <contributor label="The airport at Lemme closed on Tuesday because of the ash">
   <part label="The airport at Lemme closed on Tuesday because of the ash" start="292" end="349"/>
  </contributor>
 </peerscu>
 <peerscu uid="10" label="(3) Scientists gave warning of the eruption two weeks before it happened">
  <contributor label="Scientists had given warning of the eruption two weeks earlier">
   <part label="Scientists had given warning of the eruption two weeks earlier" start="378" end="440"/>
  </contributor>
 </peerscu>
 <peerscu uid="11" label="(3) Scientists warn of another eruption of Mount Hasko">
  <contributor label="Scientists...now expect another eruption">
   <part label="Scientists" start="378" end="388"/>
   <part label="now expect another eruption" start="445" end="472"/>
  </contributor>
 </peerscu>
 <peerscu uid="13" label="(3) The government provides 90 million crowns for rebuilding">
  <contributor label="The government will pay 90 million crowns for rebuilding">
   <part label="The government will pay 90 million crowns for rebuilding" start="474" end="530"/>
  </contributor>
 </peerscu>
 <peerscu uid="8" label="(2) Flights at Lemme airport started again on Sunday">
  <contributor label="The airport at Lemme...opened again on Sunday">
   <part label="The airport at Lemme" start="292" end="312"/>
   <part label="opened again on Sunday" start="354" end="376"/>
  </contributor>
 </peerscu>
 <peerscu uid="9" label="(2) A total of 140 flights were cancelled">
 </peerscu>
 <peerscu uid="12" label="(2) The government failed to act on the warning before the eruption">
 </peerscu>
 <peerscu uid="14" label="(2) A total of three people were killed by the eruption">
  <contributor label="three people were killed by the eruption">
   <part label="three people were killed by the eruption" start="250" end="290"/>
  </contributor>
 </peerscu>
 <peerscu uid="15" label="(2) Mud buried half of the houses in Colbay">
 </peerscu>
 <peerscu uid="16" label="(2) Sérannes is to be rebuilt six kilometres away from the coast">
  <contributor label="the new Sérannes will stand six kilometres from the coast">
   <part label="the new Sérannes will stand six kilometres from the coast" start="536" end="593"/>
  </contributor>
 </peerscu>
 <peerscu uid="17" label="(1) Many villagers oppose the relocation of Sérannes inland">
 </peerscu>
 <peerscu uid="18" label="(1) The eruption threw ash eleven kilometres high">
 </peerscu>
 <peerscu uid="19" label="(1) Lava burned 70 fishing boats in the harbour of Sérannes">
 </peerscu>
 <peerscu uid="20" label="(1) Damage caused by the eruption is estimated at 240 million crowns">
 </peerscu>
 <peerscu uid="21" label="(1) Dozens of people needed treatment because of breathing problems">
 </peerscu>
 <peerscu uid="22" label="(1) The people of Colbay went back home in April">
 </peerscu>
 <peerscu uid="23" label="(1) Colbay will be restored on the same site as before">
 </peerscu>
 <peerscu uid="24" label="(1) Families who lived in Sérannes are still housed in schools">
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="A concert in Lemme raised money for homeless families">
   <part label="A concert in Lemme raised money for homeless families" start="595" end="648"/>
  </contributor>
 </peerscu>
</annotation>
</peerAnnotation>
