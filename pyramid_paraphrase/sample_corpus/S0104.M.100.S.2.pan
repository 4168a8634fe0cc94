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
  <line> S0104.M.100.S.A</line>
  <line>-----------------</line>
  <line></line>
  <line>A twelfth-century psalter stolen from the monastery of Valdrune in November 1974 was returned to the monastery on 4 May.</line>
  <line>The manuscript came to light when the auction house Pellbrook offered it for sale in Lissford at an estimated three million florins.</line>
  <line>Brother Anséric, the former librarian, saw it in the catalogue and recognised a wolf painted in a margin.</line>
  <line>Police seized the psalter two days before the sale.</line>
  <line>Art historian Vesna Maddorick called it a forgery because it contained a modern blue pigment.</line>
  <line>Laboratory tests dated the parchment to about 1180, and the blue proved to be a nineteenth-century repair.</line>
  <line>Six leaves are still missing.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0104.M.100.S.B</line>
  <line>-----------------</line>
  <line></line>
  <line>In the autumn of 1974, a man who posed as a photographer carried off the psalter of Valdrune monastery.</line>
  <line>The monks got it back this spring, and 600 villagers came to celebrate.</line>
  <line>Heirs of the collector Emeric Vasthoven, who died in 2015, had handed the book to Pellbrook for auction.</line>
  <line>An elderly monk leafing through the sale catalogue identified the volume.</line>
  <line>Officers confiscated it, and the family renounced its claim without compensation.</line>
  <line>A scholar's suspicion of forgery, based on a colour unknown in the Middle Ages, was refuted by radiocarbon dating.</line>
  <line>The skin of its pages is more than 800 years old.</line>
  <line>Nobody will be tried for the theft, since the limitation period has expired.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0104.M.100.S.C</line>
  <line>-----------------</line>
  <line></line>
  <line>Two days before it was due to go under the hammer, detectives removed a medieval psalter from the rooms of Pellbrook, an auction house in Lissford.</line>
  <line>The auctioneers, who had put its value at three million florins, said they had acted in good faith.</line>
  <line>The book had disappeared from Valdrune monastery in 1974, when a visitor, supposedly a photographer, walked away with it.</line>
  <line>A small wolf beside the text, drawn by the scribe, betrayed its origin.</line>
  <line>Claims that the psalter was a forgery collapsed after scientific analysis traced the animal skin to around 1180.</line>
  <line>Church bells welcomed the manuscript home to Valdrune.</line>
  <line>It came back incomplete: the whereabouts of six leaves are unknown.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0104.M.100.S.D</line>
  <line>-----------------</line>
  <line></line>
  <line>An auction catalogue has solved a crime of 1974, when Valdrune monastery lost its psalter to a thief.</line>
  <line>A retired librarian of the order spotted the work among Pellbrook's lots.</line>
  <line>The auction house withdrew the psalter from the sale and apologised to the monks.</line>
  <line>The seller, granddaughter of the late collector Vasthoven, gave up her rights to the book and asked for no money.</line>
  <line>An art historian argued that its blue paint was too recent and that the whole work was a fake.</line>
  <line>University tests proved her wrong: only a patch had been repainted in the nineteenth century, and the parchment is medieval.</line>
  <line>Now back in Valdrune, the psalter lies in an armoured glass case.</line>
  <line></line>
 </text>
 <scu uid="1" label="Valdrune monastery's psalter was stolen in 1974">
  <contributor label="A twelfth-century psalter stolen from the monastery of Valdrune in November 1974">
   <part label="A twelfth-century psalter stolen from the monastery of Valdrune in November 1974" start="55" end="135"/>
  </contributor>
  <contributor label="In the autumn of 1974, a man...carried off the psalter of Valdrune monastery">
   <part label="In the autumn of 1974, a man" start="753" end="781"/>
   <part label="carried off the psalter of Valdrune monastery" start="810" end="855"/>
  </contributor>
  <contributor label="The book had disappeared from Valdrune monastery in 1974...a visitor...walked away with it">
   <part label="The book had disappeared from Valdrune monastery in 1974" start="1735" end="1791"/>
   <part label="a visitor" start="1798" end="1807"/>
   <part label="walked away with it" start="1836" end="1855"/>
  </contributor>
  <contributor label="a crime of 1974, when Valdrune monastery lost its psalter to a thief">
   <part label="a crime of 1974, when Valdrune monastery lost its psalter to a thief" start="2252" end="2320"/>
  </contributor>
 </scu>
 <scu uid="2" label="The psalter was put up for sale at the auction house Pellbrook">
  <contributor label="the auction house Pellbrook offered it for sale">
   <part label="the auction house Pellbrook offered it for sale" start="210" end="257"/>
  </contributor>
  <contributor label="handed the book to Pellbrook for auction">
   <part label="handed the book to Pellbrook for auction" start="992" end="1032"/>
  </contributor>
  <contributor label="it was due to go under the hammer...Pellbrook, an auction house in Lissford">
   <part label="it was due to go under the hammer" start="1503" end="1536"/>
   <part label="Pellbrook, an auction house in Lissford" start="1594" end="1633"/>
  </contributor>
  <contributor label="the work among Pellbrook's lots">
   <part label="the work among Pellbrook's lots" start="2363" end="2394"/>
  </contributor>
 </scu>
 <scu uid="3" label="The psalter was suspected of being a fake">
  <contributor label="Art historian Vesna Maddorick called it a forgery">
   <part label="Art historian Vesna Maddorick called it a forgery" start="467" end="516"/>
  </contributor>
  <contributor label="A scholar's suspicion of forgery">
   <part label="A scholar's suspicion of forgery" start="1190" end="1222"/>
  </contributor>
  <contributor label="Claims that the psalter was a forgery">
   <part label="Claims that the psalter was a forgery" start="1929" end="1966"/>
  </contributor>
  <contributor label="An art historian argued...that the whole work was a fake">
   <part label="An art historian argued" start="2592" end="2615"/>
   <part label="that the whole work was a fake" start="2655" end="2685"/>
  </contributor>
 </scu>
 <scu uid="4" label="Examination showed that the parchment dates from the Middle Ages">
  <contributor label="Laboratory tests dated the parchment to about 1180">
   <part label="Laboratory tests dated the parchment to about 1180" start="561" end="611"/>
  </contributor>
  <contributor label="The skin of its pages is more than 800 years old...radiocarbon dating">
   <part label="The skin of its pages is more than 800 years old" start="1305" end="1353"/>
   <part label="radiocarbon dating" start="1285" end="1303"/>
  </contributor>
  <contributor label="scientific analysis traced the animal skin to around 1180">
   <part label="scientific analysis traced the animal skin to around 1180" start="1983" end="2040"/>
  </contributor>
  <contributor label="University tests...the parchment is medieval">
   <part label="University tests" start="2687" end="2703"/>
   <part label="the parchment is medieval" start="2785" end="2810"/>
  </contributor>
 </scu>
 <scu uid="5" label="The psalter is again in the monastery of Valdrune">
  <contributor label="A twelfth-century psalter...was returned to the monastery on 4 May">
   <part label="A twelfth-century psalter" start="55" end="80"/>
   <part label="was returned to the monastery on 4 May" start="136" end="174"/>
  </contributor>
  <contributor label="The monks got it back this spring">
   <part label="The monks got it back this spring" start="857" end="890"/>
  </contributor>
  <contributor label="welcomed the manuscript home to Valdrune">
   <part label="welcomed the manuscript home to Valdrune" start="2055" end="2095"/>
  </contributor>
  <contributor label="Now back in Valdrune, the psalter">
   <part label="Now back in Valdrune, the psalter" start="2812" end="2845"/>
  </contributor>
 </scu>
 <scu uid="6" label="A member of the monastery noticed the psalter in the sale catalogue">
  <contributor label="Brother Anséric, the former librarian, saw it in the catalogue">
   <part label="Brother Anséric, the former librarian, saw it in the catalogue" start="309" end="371"/>
  </contributor>
  <contributor label="An elderly monk leafing through the sale catalogue identified the volume">
   <part label="An elderly monk leafing through the sale catalogue identified the volume" start="1034" end="1106"/>
  </contributor>
  <contributor label="A retired librarian of the order spotted the work among Pellbrook's lots...An auction catalogue">
   <part label="A retired librarian of the order spotted the work among Pellbrook's lots" start="2322" end="2394"/>
   <part label="An auction catalogue" start="2220" end="2240"/>
  </contributor>
 </scu>
 <scu uid="7" label="The police took the psalter into custody">
  <contributor label="Police seized the psalter">
   <part label="Police seized the psalter" start="415" end="440"/>
  </contributor>
  <contributor label="Officers confiscated it">
   <part label="Officers confiscated it" start="1108" end="1131"/>
  </contributor>
  <contributor label="detectives removed a medieval psalter from the rooms of Pellbrook">
   <part label="detectives removed a medieval psalter from the rooms of Pellbrook" start="1538" end="1603"/>
  </contributor>
 </scu>
 <scu uid="8" label="The suspicion of forgery rested on a colour too modern for the Middle Ages">
  <contributor label="called it a forgery because it contained a modern blue pigment">
   <part label="called it a forgery because it contained a modern blue pigment" start="497" end="559"/>
  </contributor>
  <contributor label="A scholar's suspicion of forgery, based on a colour unknown in the Middle Ages">
   <part label="A scholar's suspicion of forgery, based on a colour unknown in the Middle Ages" start="1190" end="1268"/>
  </contributor>
  <contributor label="An art historian argued that its blue paint was too recent">
   <part label="An art historian argued that its blue paint was too recent" start="2592" end="2650"/>
  </contributor>
 </scu>
 <scu uid="9" label="Tests disproved the claim that the psalter was forged">
  <contributor label="A scholar's suspicion of forgery...was refuted by radiocarbon dating">
   <part label="A scholar's suspicion of forgery" start="1190" end="1222"/>
   <part label="was refuted by radiocarbon dating" start="1270" end="1303"/>
  </contributor>
  <contributor label="Claims that the psalter was a forgery collapsed after scientific analysis">
   <part label="Claims that the psalter was a forgery collapsed after scientific analysis" start="1929" end="2002"/>
  </contributor>
  <contributor label="University tests proved her wrong">
   <part label="University tests proved her wrong" start="2687" end="2720"/>
  </contributor>
 </scu>
 <scu uid="10" label="The thief passed himself off as a photographer">
  <contributor label="a man who posed as a photographer">
   <part label="a man who posed as a photographer" start="776" end="809"/>
  </contributor>
  <contributor label="a visitor, supposedly a photographer">
   <part label="a visitor, supposedly a photographer" start="1798" end="1834"/>
  </contributor>
 </scu>
 <scu uid="11" label="The auction house estimated the psalter at three million florins">
  <contributor label="the auction house Pellbrook...at an estimated three million florins">
   <part label="the auction house Pellbrook" start="210" end="237"/>
   <part label="at an estimated three million florins" start="270" end="307"/>
  </contributor>
  <contributor label="The auctioneers, who had put its value at three million florins">
   <part label="The auctioneers, who had put its value at three million florins" start="1635" end="1698"/>
  </contributor>
 </scu>
 <scu uid="12" label="The psalter was consigned by the family of the deceased collector Vasthoven">
  <contributor label="Heirs of the collector Emeric Vasthoven, who died in 2015, had handed the book to Pellbrook for auction">
   <part label="Heirs of the collector Emeric Vasthoven, who died in 2015, had handed the book to Pellbrook for auction" start="929" end="1032"/>
  </contributor>
  <contributor label="The seller, granddaughter of the late collector Vasthoven">
   <part label="The seller, granddaughter of the late collector Vasthoven" start="2478" end="2535"/>
  </contributor>
 </scu>
 <scu uid="13" label="The person who noticed the psalter had once been a librarian">
  <contributor label="Brother Anséric, the former librarian, saw it">
   <part label="Brother Anséric, the former librarian, saw it" start="309" end="354"/>
  </contributor>
  <contributor label="A retired librarian of the order spotted the work">
   <part label="A retired librarian of the order spotted the work" start="2322" end="2371"/>
  </contributor>
 </scu>
 <scu uid="14" label="The picture of a wolf gave the psalter away">
  <contributor label="recognised a wolf painted in a margin">
   <part label="recognised a wolf painted in a margin" start="376" end="413"/>
  </contributor>
  <contributor label="A small wolf beside the text...betrayed its origin">
   <part label="A small wolf beside the text" start="1857" end="1885"/>
   <part label="betrayed its origin" start="1908" end="1927"/>
  </contributor>
 </scu>
 <scu uid="15" label="The seizure took place two days ahead of the auction">
  <contributor label="Police seized the psalter two days before the sale">
   <part label="Police seized the psalter two days before the sale" start="415" end="465"/>
  </contributor>
  <contributor label="detectives removed a medieval psalter...Two days before it was due to go under the hammer">
   <part label="detectives removed a medieval psalter" start="1538" end="1575"/>
   <part label="Two days before it was due to go under the hammer" start="1487" end="1536"/>
  </contributor>
 </scu>
 <scu uid="16" label="The collector's family abandoned its claim to the psalter and received no payment">
  <contributor label="the family renounced its claim without compensation">
   <part label="the family renounced its claim without compensation" start="1137" end="1188"/>
  </contributor>
  <contributor label="gave up her rights to the book and asked for no money">
   <part label="gave up her rights to the book and asked for no money" start="2537" end="2590"/>
  </contributor>
 </scu>
 <scu uid="17" label="The recent blue colour was the result of nineteenth-century retouching">
  <contributor label="the blue proved to be a nineteenth-century repair">
   <part label="the blue proved to be a nineteenth-century repair" start="617" end="666"/>
  </contributor>
  <contributor label="its blue paint...only a patch had been repainted in the nineteenth century">
   <part label="its blue paint" start="2621" end="2635"/>
   <part label="only a patch had been repainted in the nineteenth century" start="2722" end="2779"/>
  </contributor>
 </scu>
 <scu uid="18" label="The psalter's homecoming was marked with public celebration">
  <contributor label="The monks got it back this spring, and 600 villagers came to celebrate">
   <part label="The monks got it back this spring, and 600 villagers came to celebrate" start="857" end="927"/>
  </contributor>
  <contributor label="Church bells welcomed the manuscript home">
   <part label="Church bells welcomed the manuscript home" start="2042" end="2083"/>
  </contributor>
 </scu>
 <scu uid="19" label="Six leaves of the psalter have yet to be recovered">
  <contributor label="Six leaves are still missing">
   <part label="Six leaves are still missing" start="668" end="696"/>
  </contributor>
  <contributor label="the whereabouts of six leaves are unknown">
   <part label="the whereabouts of six leaves are unknown" start="2122" end="2163"/>
  </contributor>
 </scu>
 <scu uid="20" label="Pellbrook took the psalter out of the auction">
  <contributor label="The auction house withdrew the psalter from the sale">
   <part label="The auction house withdrew the psalter from the sale" start="2396" end="2448"/>
  </contributor>
 </scu>
 <scu uid="21" label="Pellbrook said sorry to the monks of Valdrune">
  <contributor label="The auction house...apologised to the monks">
   <part label="The auction house" start="2396" end="2413"/>
   <part label="apologised to the monks" start="2453" end="2476"/>
  </contributor>
 </scu>
 <scu uid="22" label="Pellbrook said that it had behaved honestly">
  <contributor label="The auctioneers...said they had acted in good faith">
   <part label="The auctioneers" start="1635" end="1650"/>
   <part label="said they had acted in good faith" start="1700" end="1733"/>
  </contributor>
 </scu>
 <scu uid="23" label="The theft can no longer be prosecuted">
  <contributor label="Nobody will be tried for the theft, since the limitation period has expired">
   <part label="Nobody will be tried for the theft, since the limitation period has expired" start="1355" end="1430"/>
  </contributor>
 </scu>
 <scu uid="24" label="The psalter is kept in a strong display case">
  <contributor label="the psalter lies in an armoured glass case">
   <part label="the psalter lies in an armoured glass case" start="2834" end="2876"/>
  </contributor>
 </scu>
</pyramid>
<annotation>
 <text>
  <line>Valdrune lies in a narrow valley and was founded by eleven monks.</line>
  <line>Its psalter disappeared in 1974, stolen by a false photographer.</line>
  <line>The auction house Pellbrook, founded in 1902, sells furniture, jewels and books.</line>
  <line>Police officers took the psalter away from the auction house.</line>
  <line>The sale of a silver clock on the same day brought 90,000 florins.</line>
  <line>A wolf in a margin helped to identify the manuscript.</line>
  <line>Some specialists believed that the psalter was not genuine.</line>
  <line>The investigators seized the manuscript at Pellbrook.</line>
  <line>Six leaves of the psalter have not been found.</line>
  <line>The monks hope for more tourists and want to build a larger car park.</line>
 </text>
 <peerscu uid="1" label="(4) Valdrune monastery's psalter was stolen in 1974">
  <contributor label="Its psalter disappeared in 1974, stolen">
   <part label="Its psalter disappeared in 1974, stolen" start="66" end="105"/>
  </contributor>
 </peerscu>
 <peerscu uid="2" label="(4) The psalter was put up for sale at the auction house Pellbrook">
 </peerscu>
 <peerscu uid="3" label="(4) The psalter was suspected of being a fake">
  <contributor label="Some specialists believed that the psalter was not genuine">
   <part label="Some specialists believed that the psalter was not genuine" start="395" end="453"/>
  </contributor>
 </peerscu>
 <peerscu uid="4" label="(4) Examination showed that the parchment dates from the Middle Ages">
 </peerscu>
 <peerscu uid="5" label="(4) The psalter is again in the monastery of Valdrune">
 </peerscu>
 <peerscu uid="6" label="(3) A member of the monastery noticed the psalter in the sale catalogue">
 </peerscu>
 <peerscu uid="7" label="(3) The police took the psalter into custody">
  <contributor label="Police officers took the psalter away from the auction house">
   <part label="Police officers took the psalter away from the auction house" start="212" end="272"/>
  </contributor>
  <contributor label="The investigators seized the manuscript at Pellbrook">
   <part label="The investigators seized the manuscript at Pellbrook" start="455" end="507"/>
  </contributor>
 </peerscu>
 <peerscu uid="8" label="(3) The suspicion of forgery rested on a colour too modern for the Middle Ages">
 </peerscu>
 <peerscu uid="9" label="(3) Tests disproved the claim that the psalter was forged">
 </peerscu>
 <peerscu uid="10" label="(2) The thief passed himself off as a photographer">
  <contributor label="stolen by a false photographer">
   <part label="stolen by a false photographer" start="99" end="129"/>
  </contributor>
 </peerscu>
 <peerscu uid="11" label="(2) The auction house estimated the psalter at three million florins">
 </peerscu>
 <peerscu uid="12" label="(2) The psalter was consigned by the family of the deceased collector Vasthoven">
 </peerscu>
 <peerscu uid="13" label="(2) The person who noticed the psalter had once been a librarian">
 </peerscu>
 <peerscu uid="14" label="(2) The picture of a wolf gave the psalter away">
  <contributor label="A wolf in a margin helped to identify the manuscript">
   <part label="A wolf in a margin helped to identify the manuscript" start="341" end="393"/>
  </contributor>
 </peerscu>
 <peerscu uid="15" label="(2) The seizure took place two days ahead of the auction">
 </peerscu>
 <peerscu uid="16" label="(2) The collector's family abandoned its claim to the psalter and received no payment">
 </peerscu>
 <peerscu uid="17" label="(2) The recent blue colour was the result of nineteenth-century retouching">
 </peerscu>
 <peerscu uid="18" label="(2) The psalter's homecoming was marked with public celebration">
 </peerscu>
 <peerscu uid="19" label="(2) Six leaves of the psalter have yet to be recovered">
  <contributor label="Six leaves of the psalter have not been found">
   <part label="Six leaves of the psalter have not been found" start="509" end="554"/>
  </contributor>
 </peerscu>
 <peerscu uid="20" label="(1) Pellbrook took the psalter out of the auction">
 </peerscu>
 <peerscu uid="21" label="(1) Pellbrook said sorry to the monks of Valdrune">
 </peerscu>
 <peerscu uid="22" label="(1) Pellbrook said that it had behaved honestly">
 </peerscu>
 <peerscu uid="23" label="(1) The theft can no longer be prosecuted">
 </peerscu>
 <peerscu uid="24" label="(1) The psalter is kept in a strong display case">
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="Valdrune lies in a narrow valley">
   <part label="Valdrune lies in a narrow valley" start="0" end="32"/>
  </contributor>
  <contributor label="Valdrune...was founded by eleven monks">
   <part label="Valdrune" start="0" end="8"/>
   <part label="was founded by eleven monks" start="37" end="64"/>
  </contributor>
  <contributor label="The auction house Pellbrook, founded in 1902">
   <part label="The auction house Pellbrook, founded in 1902" start="131" end="175"/>
  </contributor>
  <contributor label="The auction house Pellbrook...sells furniture, jewels and books">
   <part label="The auction house Pellbrook" start="131" end="158"/>
   <part label="sells furniture, jewels and books" start="177" end="210"/>
  </contributor>
  <contributor label="The sale of a silver clock on the same day brought 90,000 florins">
   <part label="The sale of a silver clock on the same day brought 90,000 florins" start="274" end="339"/>
  </contributor>
  <contributor label="The monks hope for more tourists">
   <part label="The monks hope for more tourists" start="556" end="588"/>
  </contributor>
  <contributor label="The monks...want to build a larger car park">
   <part label="The monks" start="556" end="565"/>
   <part label="want to build a larger car park" start="593" end="624"/>
  </contributor>
 </peerscu>
</annotation>
</peerAnnotation>
