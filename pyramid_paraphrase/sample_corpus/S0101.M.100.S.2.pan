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
  <line> S0101.M.100.S.A</line>
  <line>-----------------</line>
  <line></line>
  <line>The car ferry Orla Venn ran aground on Dovrac Reef in the Quessil Islands late on March 3.</line>
  <line>All 212 people aboard were saved, most of them by local fishing boats.</line>
  <line>The accident happened because the officer on watch had fallen asleep, and an alarm meant to keep the bridge crew awake had been switched off.</line>
  <line>The ferry's captain, Joren Vask, was arrested on Tuesday and released on bail on Friday.</line>
  <line>About 90 tonnes of fuel oil escaped from a torn tank and fouled the oyster beds of Sérannes.</line>
  <line>The government ordered a public inquiry, which will report in September.</line>
  <line>Norvessa Lines withdrew two sister ships from service.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0101.M.100.S.B</line>
  <line>-----------------</line>
  <line></line>
  <line>Fishermen in small boats brought most of the travellers ashore after the ferry Orla Venn struck a reef and stuck fast in the Quessil archipelago.</line>
  <line>Nobody on the ship died, but 14 people were treated in hospital for hypothermia.</line>
  <line>A watchkeeper who dozed off was blamed for the wreck.</line>
  <line>Police detained the master, Joren Vask, on Tuesday.</line>
  <line>Some 90 tonnes of fuel spilled from the hull, and about 600 seabirds died in the slick.</line>
  <line>Harvesting of oysters was forbidden for three months, and the owner, Norvessa Lines, promised the growers 4 million crowns.</line>
  <line>Tugs failed to pull the ferry off the reef on March 9.</line>
  <line>Alda Crewe, the transport minister, resigned over the accident.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0101.M.100.S.C</line>
  <line>-----------------</line>
  <line></line>
  <line>Shortly before midnight on March 3, a ferry with 212 passengers and crew hit Dovrac Reef and stayed lodged there.</line>
  <line>Everyone on board lived, though hypothermia put fourteen of them in hospital beds.</line>
  <line>The disaster was caused by the mate in charge of the bridge, who nodded off after working for 15 hours.</line>
  <line>The ferry's captain was released on Friday.</line>
  <line>Leaking tanks let roughly 90 tonnes of heavy oil into the sea, where it coated oyster farms at Sérannes.</line>
  <line>Findings of a public inquiry, set up by the cabinet, are due in September.</line>
  <line>Tugs pulled the ferry off the reef on March 21.</line>
  <line>Norvessa Lines shares lost 18 percent of their value.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0101.M.100.S.D</line>
  <line>-----------------</line>
  <line></line>
  <line>A reef in the Quessil chain left the ferry Orla Venn stranded, but not one life was lost.</line>
  <line>Local trawlers picked up the majority of those on board.</line>
  <line>Investigators concluded that sleep was to blame: the duty officer had drifted off, and the device designed to rouse dozing crew had been deactivated.</line>
  <line>Captain Joren Vask was taken into custody on Tuesday.</line>
  <line>Leaked fuel, put at 90 tonnes, contaminated Sérannes oyster waters, and gathering oysters there was prohibited for a quarter of a year.</line>
  <line>Ministers have launched a public investigation into the wreck.</line>
  <line>On March 21, eighteen days after the grounding, tugboats refloated the vessel.</line>
  <line>Norvessa Lines has idled two vessels of the same class.</line>
  <line></line>
 </text>
 <scu uid="1" label="The ferry Orla Venn became stuck on a reef">
  <contributor label="The car ferry Orla Venn ran aground on Dovrac Reef">
   <part label="The car ferry Orla Venn ran aground on Dovrac Reef" start="55" end="105"/>
  </contributor>
  <contributor label="the ferry Orla Venn struck a reef and stuck fast">
   <part label="the ferry Orla Venn struck a reef and stuck fast" start="793" end="841"/>
  </contributor>
  <contributor label="a ferry...hit Dovrac Reef and stayed lodged there">
   <part label="a ferry" start="1479" end="1486"/>
   <part label="hit Dovrac Reef and stayed lodged there" start="1516" end="1555"/>
  </contributor>
  <contributor label="A reef...left the ferry Orla Venn stranded">
   <part label="A reef" start="2125" end="2131"/>
   <part label="left the ferry Orla Venn stranded" start="2153" end="2186"/>
  </contributor>
 </scu>
 <scu uid="2" label="The grounding took place in the Quessil island group">
  <contributor label="The car ferry Orla Venn ran aground...in the Quessil Islands">
   <part label="The car ferry Orla Venn ran aground" start="55" end="90"/>
   <part label="in the Quessil Islands" start="106" end="128"/>
  </contributor>
  <contributor label="the ferry Orla Venn...stuck fast in the Quessil archipelago">
   <part label="the ferry Orla Venn" start="793" end="812"/>
   <part label="stuck fast in the Quessil archipelago" start="831" end="868"/>
  </contributor>
  <contributor label="A reef in the Quessil chain left the ferry Orla Venn stranded">
   <part label="A reef in the Quessil chain left the ferry Orla Venn stranded" start="2125" end="2186"/>
  </contributor>
 </scu>
 <scu uid="3" label="The grounding occurred on the night of March 3">
  <contributor label="ran aground...late on March 3">
   <part label="ran aground" start="79" end="90"/>
   <part label="late on March 3" start="129" end="144"/>
  </contributor>
  <contributor label="a ferry...hit Dovrac Reef...Shortly before midnight on March 3">
   <part label="a ferry" start="1479" end="1486"/>
   <part label="hit Dovrac Reef" start="1516" end="1531"/>
   <part label="Shortly before midnight on March 3" start="1443" end="1477"/>
  </contributor>
 </scu>
 <scu uid="4" label="No one aboard the ferry was killed">
  <contributor label="All 212 people aboard were saved">
   <part label="All 212 people aboard were saved" start="146" end="178"/>
  </contributor>
  <contributor label="Nobody on the ship died">
   <part label="Nobody on the ship died" start="870" end="893"/>
  </contributor>
  <contributor label="Everyone on board lived">
   <part label="Everyone on board lived" start="1557" end="1580"/>
  </contributor>
  <contributor label="not one life was lost">
   <part label="not one life was lost" start="2192" end="2213"/>
  </contributor>
 </scu>
 <scu uid="5" label="The ferry was carrying 212 people">
  <contributor label="212 people aboard">
   <part label="212 people aboard" start="150" end="167"/>
  </contributor>
  <contributor label="a ferry with 212 passengers and crew">
   <part label="a ferry with 212 passengers and crew" start="1479" end="1515"/>
  </contributor>
 </scu>
 <scu uid="6" label="Fishing vessels rescued most of those aboard">
  <contributor label="people aboard were saved, most of them by local fishing boats">
   <part label="people aboard were saved, most of them by local fishing boats" start="154" end="215"/>
  </contributor>
  <contributor label="Fishermen in small boats brought most of the travellers ashore">
   <part label="Fishermen in small boats brought most of the travellers ashore" start="724" end="786"/>
  </contributor>
  <contributor label="Local trawlers picked up the majority of those on board">
   <part label="Local trawlers picked up the majority of those on board" start="2215" end="2270"/>
  </contributor>
 </scu>
 <scu uid="7" label="Fourteen people went to hospital with hypothermia">
  <contributor label="14 people were treated in hospital for hypothermia">
   <part label="14 people were treated in hospital for hypothermia" start="899" end="949"/>
  </contributor>
  <contributor label="hypothermia put fourteen of them in hospital beds">
   <part label="hypothermia put fourteen of them in hospital beds" start="1589" end="1638"/>
  </contributor>
 </scu>
 <scu uid="8" label="The cause of the accident was that the officer on watch fell asleep">
  <contributor label="The accident happened because the officer on watch had fallen asleep">
   <part label="The accident happened because the officer on watch had fallen asleep" start="217" end="285"/>
  </contributor>
  <contributor label="A watchkeeper who dozed off was blamed for the wreck">
   <part label="A watchkeeper who dozed off was blamed for the wreck" start="951" end="1003"/>
  </contributor>
  <contributor label="The disaster was caused by the mate in charge of the bridge, who nodded off">
   <part label="The disaster was caused by the mate in charge of the bridge, who nodded off" start="1640" end="1715"/>
  </contributor>
  <contributor label="Investigators concluded that sleep was to blame: the duty officer had drifted off">
   <part label="Investigators concluded that sleep was to blame: the duty officer had drifted off" start="2272" end="2353"/>
  </contributor>
 </scu>
 <scu uid="9" label="The alarm for keeping the bridge crew awake was turned off">
  <contributor label="an alarm meant to keep the bridge crew awake had been switched off">
   <part label="an alarm meant to keep the bridge crew awake had been switched off" start="291" end="357"/>
  </contributor>
  <contributor label="the device designed to rouse dozing crew had been deactivated">
   <part label="the device designed to rouse dozing crew had been deactivated" start="2359" end="2420"/>
  </contributor>
 </scu>
 <scu uid="10" label="The officer on watch had been on duty for 15 hours">
  <contributor label="the mate in charge of the bridge...after working for 15 hours">
   <part label="the mate in charge of the bridge" start="1667" end="1699"/>
   <part label="after working for 15 hours" start="1716" end="1742"/>
  </contributor>
 </scu>
 <scu uid="11" label="The captain of the ferry was arrested on Tuesday">
  <contributor label="The ferry's captain, Joren Vask, was arrested on Tuesday">
   <part label="The ferry's captain, Joren Vask, was arrested on Tuesday" start="359" end="415"/>
  </contributor>
  <contributor label="Police detained the master, Joren Vask, on Tuesday">
   <part label="Police detained the master, Joren Vask, on Tuesday" start="1005" end="1055"/>
  </contributor>
  <contributor label="Captain Joren Vask was taken into custody on Tuesday">
   <part label="Captain Joren Vask was taken into custody on Tuesday" start="2422" end="2474"/>
  </contributor>
 </scu>
 <scu uid="12" label="The captain of the ferry was set free on Friday">
  <contributor label="The ferry's captain, Joren Vask, was...released on bail on Friday">
   <part label="The ferry's captain, Joren Vask, was" start="359" end="395"/>
   <part label="released on bail on Friday" start="420" end="446"/>
  </contributor>
  <contributor label="The ferry's captain was released on Friday">
   <part label="The ferry's captain was released on Friday" start="1744" end="1786"/>
  </contributor>
 </scu>
 <scu uid="13" label="Around ninety tonnes of fuel leaked from the ship">
  <contributor label="About 90 tonnes of fuel oil escaped from a torn tank">
   <part label="About 90 tonnes of fuel oil escaped from a torn tank" start="448" end="500"/>
  </contributor>
  <contributor label="Some 90 tonnes of fuel spilled from the hull">
   <part label="Some 90 tonnes of fuel spilled from the hull" start="1057" end="1101"/>
  </contributor>
  <contributor label="Leaking tanks let roughly 90 tonnes of heavy oil into the sea">
   <part label="Leaking tanks let roughly 90 tonnes of heavy oil into the sea" start="1788" end="1849"/>
  </contributor>
  <contributor label="Leaked fuel, put at 90 tonnes">
   <part label="Leaked fuel, put at 90 tonnes" start="2476" end="2505"/>
  </contributor>
 </scu>
 <scu uid="14" label="The spilled fuel polluted the oyster grounds at Sérannes">
  <contributor label="fuel oil...fouled the oyster beds of Sérannes">
   <part label="fuel oil" start="467" end="475"/>
   <part label="fouled the oyster beds of Sérannes" start="505" end="539"/>
  </contributor>
  <contributor label="heavy oil...coated oyster farms at Sérannes">
   <part label="heavy oil" start="1827" end="1836"/>
   <part label="coated oyster farms at Sérannes" start="1860" end="1891"/>
  </contributor>
  <contributor label="Leaked fuel...contaminated Sérannes oyster waters">
   <part label="Leaked fuel" start="2476" end="2487"/>
   <part label="contaminated Sérannes oyster waters" start="2507" end="2542"/>
  </contributor>
 </scu>
 <scu uid="15" label="The gathering of oysters was banned for three months">
  <contributor label="Harvesting of oysters was forbidden for three months">
   <part label="Harvesting of oysters was forbidden for three months" start="1145" end="1197"/>
  </contributor>
  <contributor label="gathering oysters there was prohibited for a quarter of a year">
   <part label="gathering oysters there was prohibited for a quarter of a year" start="2548" end="2610"/>
  </contributor>
 </scu>
 <scu uid="16" label="The oil slick killed around 600 seabirds">
  <contributor label="about 600 seabirds died in the slick">
   <part label="about 600 seabirds died in the slick" start="1107" end="1143"/>
  </contributor>
 </scu>
 <scu uid="17" label="Norvessa Lines undertook to pay oyster growers 4 million crowns">
  <contributor label="the owner, Norvessa Lines, promised the growers 4 million crowns">
   <part label="the owner, Norvessa Lines, promised the growers 4 million crowns" start="1203" end="1267"/>
  </contributor>
 </scu>
 <scu uid="18" label="The government set up a public inquiry into the accident">
  <contributor label="The government ordered a public inquiry">
   <part label="The government ordered a public inquiry" start="541" end="580"/>
  </contributor>
  <contributor label="a public inquiry, set up by the cabinet">
   <part label="a public inquiry, set up by the cabinet" start="1905" end="1944"/>
  </contributor>
  <contributor label="Ministers have launched a public investigation into the wreck">
   <part label="Ministers have launched a public investigation into the wreck" start="2612" end="2673"/>
  </contributor>
 </scu>
 <scu uid="19" label="The public inquiry is expected to report in September">
  <contributor label="a public inquiry, which will report in September">
   <part label="a public inquiry, which will report in September" start="564" end="612"/>
  </contributor>
  <contributor label="Findings of a public inquiry...are due in September">
   <part label="Findings of a public inquiry" start="1893" end="1921"/>
   <part label="are due in September" start="1946" end="1966"/>
  </contributor>
 </scu>
 <scu uid="20" label="Norvessa Lines stopped running two sister ships of the ferry">
  <contributor label="Norvessa Lines withdrew two sister ships from service">
   <part label="Norvessa Lines withdrew two sister ships from service" start="614" end="667"/>
  </contributor>
  <contributor label="Norvessa Lines has idled two vessels of the same class">
   <part label="Norvessa Lines has idled two vessels of the same class" start="2754" end="2808"/>
  </contributor>
 </scu>
 <scu uid="21" label="The share price of Norvessa Lines dropped by 18 percent">
  <contributor label="Norvessa Lines shares lost 18 percent of their value">
   <part label="Norvessa Lines shares lost 18 percent of their value" start="2016" end="2068"/>
  </contributor>
 </scu>
 <scu uid="22" label="An attempt by tugs to free the ferry on March 9 was unsuccessful">
  <contributor label="Tugs failed to pull the ferry off the reef on March 9">
   <part label="Tugs failed to pull the ferry off the reef on March 9" start="1269" end="1322"/>
  </contributor>
 </scu>
 <scu uid="23" label="Tugs succeeded in freeing the ferry on March 21">
  <contributor label="Tugs pulled the ferry off the reef on March 21">
   <part label="Tugs pulled the ferry off the reef on March 21" start="1968" end="2014"/>
  </contributor>
  <contributor label="tugboats refloated the vessel...On March 21">
   <part label="tugboats refloated the vessel" start="2723" end="2752"/>
   <part label="On March 21" start="2675" end="2686"/>
  </contributor>
 </scu>
 <scu uid="24" label="The transport minister stepped down because of the accident">
  <contributor label="Alda Crewe, the transport minister, resigned over the accident">
   <part label="Alda Crewe, the transport minister, resigned over the accident" start="1324" end="1386"/>
  </contributor>
 </scu>
</pyramid>
<annotation>
 <text>
  <line>A ferry has run aground on a reef in the Quessil Islands, the coast guard said.</line>
  <line>The weather on the islands was calm and the water temperature was 6 degrees.</line>
  <line>Tugs failed to move the ferry off the reef on March 9.</line>
  <line>The ferry's captain was released on Friday, police said.</line>
  <line>The captain, who has two children, has worked at sea for 24 years.</line>
  <line>About 90 tonnes of oil leaked from the ferry.</line>
  <line>Tourism earns the islands 70 million crowns a year.</line>
  <line>Some 90 tonnes of fuel came out of the vessel's tanks.</line>
  <line>Shares in Norvessa Lines gained 18 percent last year.</line>
  <line>Another ferry was delayed by fog in January.</line>
 </text>
 <peerscu uid="1" label="(4) The ferry Orla Venn became stuck on a reef">
  <contributor label="A ferry has run aground on a reef">
   <part label="A ferry has run aground on a reef" start="0" end="33"/>
  </contributor>
 </peerscu>
 <peerscu uid="4" label="(4) No one aboard the ferry was killed">
 </peerscu>
 <peerscu uid="8" label="(4) The cause of the accident was that the officer on watch fell asleep">
 </peerscu>
 <peerscu uid="13" label="(4) Around ninety tonnes of fuel leaked from the ship">
  <contributor label="About 90 tonnes of oil leaked from the ferry">
   <part label="About 90 tonnes of oil leaked from the ferry" start="336" end="380"/>
  </contributor>
  <contributor label="Some 90 tonnes of fuel came out of the vessel's tanks">
   <part label="Some 90 tonnes of fuel came out of the vessel's tanks" start="434" end="487"/>
  </contributor>
 </peerscu>
 <peerscu uid="2" label="(3) The grounding took place in the Quessil island group">
  <contributor label="A ferry has run aground...in the Quessil Islands, the coast guard said">
   <part label="A ferry has run aground" start="0" end="23"/>
   <part label="in the Quessil Islands, the coast guard said" start="34" end="78"/>
  </contributor>
 </peerscu>
 <peerscu uid="6" label="(3) Fishing vessels rescued most of those aboard">
 </peerscu>
 <peerscu uid="11" label="(3) The captain of the ferry was arrested on Tuesday">
 </peerscu>
 <peerscu uid="14" label="(3) The spilled fuel polluted the oyster grounds at Sérannes">
 </peerscu>
 <peerscu uid="18" label="(3) The government set up a public inquiry into the accident">
 </peerscu>
 <peerscu uid="3" label="(2) The grounding occurred on the night of March 3">
 </peerscu>
 <peerscu uid="5" label="(2) The ferry was carrying 212 people">
 </peerscu>
 <peerscu uid="7" label="(2) Fourteen people went to hospital with hypothermia">
 </peerscu>
 <peerscu uid="9" label="(2) The alarm for keeping the bridge crew awake was turned off">
 </peerscu>
 <peerscu uid="12" label="(2) The captain of the ferry was set free on Friday">
  <contributor label="The ferry's captain was released on Friday, police said">
   <part label="The ferry's captain was released on Friday, police said" start="212" end="267"/>
  </contributor>
 </peerscu>
 <peerscu uid="15" label="(2) The gathering of oysters was banned for three months">
 </peerscu>
 <peerscu uid="19" label="(2) The public inquiry is expected to report in September">
 </peerscu>
 <peerscu uid="20" label="(2) Norvessa Lines stopped running two sister ships of the ferry">
 </peerscu>
 <peerscu uid="23" label="(2) Tugs succeeded in freeing the ferry on March 21">
 </peerscu>
 <peerscu uid="10" label="(1) The officer on watch had been on duty for 15 hours">
 </peerscu>
 <peerscu uid="16" label="(1) The oil slick killed around 600 seabirds">
 </peerscu>
 <peerscu uid="17" label="(1) Norvessa Lines undertook to pay oyster growers 4 million crowns">
 </peerscu>
 <peerscu uid="21" label="(1) The share price of Norvessa Lines dropped by 18 percent">
 </peerscu>
 <peerscu uid="22" label="(1) An attempt by tugs to free the ferry on March 9 was unsuccessful">
  <contributor label="Tugs failed to move the ferry off the reef on March 9">
   <part label="Tugs failed to move the ferry off the reef on March 9" start="157" end="210"/>
  </contributor>
 </peerscu>
 <peerscu uid="24" label="(1) The transport minister stepped down because of the accident">
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="The weather on the islands was calm">
   <part label="The weather on the islands was calm" start="80" end="115"/>
  </contributor>
  <contributor label="the water temperature was 6 degrees">
   <part label="the water temperature was 6 degrees" start="120" end="155"/>
  </contributor>
  <contributor label="The captain, who has two children">
   <part label="The captain, who has two children" start="269" end="302"/>
  </contributor>
  <contributor label="The captain...has worked at sea for 24 years">
   <part label="The captain" start="269" end="280"/>
   <part label="has worked at sea for 24 years" start="304" end="334"/>
  </contributor>
  <contributor label="Tourism earns the islands 70 million crowns a year">
   <part label="Tourism earns the islands 70 million crowns a year" start="382" end="432"/>
  </contributor>
  <contributor label="Shares in Norvessa Lines gained 18 percent last year">
   <part label="Shares in Norvessa Lines gained 18 percent last year" start="489" end="541"/>
  </contributor>
  <contributor label="Another ferry was delayed by fog in January">
   <part label="Another ferry was delayed by fog in January" start="543" end="586"/>
  </contributor>
 </peerscu>
</annotation>
</peerAnnotation>
