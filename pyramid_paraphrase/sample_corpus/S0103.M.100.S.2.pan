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
  <line> S0103.M.100.S.A</line>
  <line>-----------------</line>
  <line></line>
  <line>The city council of Marenholt in Tervalia voted 31 to 28 on 12 March to introduce a toll for cars in the centre.</line>
  <line>Since 2 September, drivers have paid six crowns a day to enter the old town between 7 a.m. and 7 p.m.</line>
  <line>About 9,000 shopkeepers and motorists marched to the town hall in protest, and vans blocked the Harbour Bridge for five hours.</line>
  <line>Car traffic in the centre fell by 22 percent in the first three months, but traffic on the ring road rose by 9 percent.</line>
  <line>Toll income, 14 million crowns so far, will pay for new trams.</line>
  <line>In June, the Constitutional Court upheld the toll.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0103.M.100.S.B</line>
  <line>-----------------</line>
  <line></line>
  <line>Tervalia's highest judges decided in June that Marenholt may keep its congestion charge.</line>
  <line>The Retail League, an association of shop owners, had gone to court, claiming that the fee would scare off customers.</line>
  <line>A lower court suspended the toll in January, and the cameras stayed off for nineteen days.</line>
  <line>Taking a car into the old town costs six crowns per day; inhabitants of the zone get a 50 percent discount.</line>
  <line>Within three months, more than a fifth of the cars disappeared from the inner streets.</line>
  <line>Proceeds are earmarked for the tram network, above all for a line to the suburb of Brévane.</line>
  <line>The charge had won the council's consent by only three votes.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0103.M.100.S.C</line>
  <line>-----------------</line>
  <line></line>
  <line>On 12 March, with 31 in favour and 28 against, councillors in Marenholt approved road pricing for the city centre.</line>
  <line>The scheme went live on 2 September, despite a protest parade of some 9,000 opponents.</line>
  <line>Delivery drivers kept the Harbour Bridge shut for five hours, and merchants feared that shoppers would stay away.</line>
  <line>Ambulances and taxis travel free, and people living in the centre pay half.</line>
  <line>After three months, cameras counted 22 percent fewer cars downtown, while bus journeys had become four minutes shorter.</line>
  <line>Mayor Dorit Halvane is spending the receipts, which stand at 14 million crowns, on trams.</line>
  <line>The Retail League complained to the Constitutional Court, which dismissed the case, so the charge stays.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0103.M.100.S.D</line>
  <line>-----------------</line>
  <line></line>
  <line>Despite a rally of thousands of angry traders and drivers, Marenholt's council agreed to charge vehicles for entering its centre.</line>
  <line>Collection began at the start of September: six crowns daily, from seven in the morning until seven in the evening.</line>
  <line>Central streets soon emptied: the number of cars declined by 22 percent between September and November, and nitrogen dioxide in the air fell by 12 percent.</line>
  <line>However, 9 percent more cars clog the ring road.</line>
  <line>The Retail League sued, and administrative judges ordered a halt in January.</line>
  <line>The Constitutional Court overturned that order in June and declared the toll lawful.</line>
  <line>The revenue finances additional trams and rails to Brévane.</line>
  <line></line>
 </text>
 <scu uid="1" label="Marenholt's council adopted a road toll for its centre">
  <contributor label="The city council of Marenholt in Tervalia voted...to introduce a toll for cars in the centre">
   <part label="The city council of Marenholt in Tervalia voted" start="55" end="102"/>
   <part label="to introduce a toll for cars in the centre" start="124" end="166"/>
  </contributor>
  <contributor label="The charge had won the council's consent">
   <part label="The charge had won the council's consent" start="1271" end="1311"/>
  </contributor>
  <contributor label="councillors in Marenholt approved road pricing for the city centre">
   <part label="councillors in Marenholt approved road pricing for the city centre" start="1435" end="1501"/>
  </contributor>
  <contributor label="Marenholt's council agreed to charge vehicles for entering its centre">
   <part label="Marenholt's council agreed to charge vehicles for entering its centre" start="2209" end="2278"/>
  </contributor>
 </scu>
 <scu uid="2" label="In its first three months the toll cut the number of cars in the centre by over a fifth">
  <contributor label="Car traffic in the centre fell by 22 percent in the first three months">
   <part label="Car traffic in the centre fell by 22 percent in the first three months" start="397" end="467"/>
  </contributor>
  <contributor label="Within three months, more than a fifth of the cars disappeared from the inner streets">
   <part label="Within three months, more than a fifth of the cars disappeared from the inner streets" start="1092" end="1177"/>
  </contributor>
  <contributor label="After three months, cameras counted 22 percent fewer cars downtown">
   <part label="After three months, cameras counted 22 percent fewer cars downtown" start="1780" end="1846"/>
  </contributor>
  <contributor label="the number of cars declined by 22 percent between September and November...Central streets soon emptied">
   <part label="the number of cars declined by 22 percent between September and November" start="2426" end="2498"/>
   <part label="Central streets soon emptied" start="2396" end="2424"/>
  </contributor>
 </scu>
 <scu uid="3" label="The money from the toll is meant for trams">
  <contributor label="Toll income...will pay for new trams">
   <part label="Toll income" start="517" end="528"/>
   <part label="will pay for new trams" start="556" end="578"/>
  </contributor>
  <contributor label="Proceeds are earmarked for the tram network">
   <part label="Proceeds are earmarked for the tram network" start="1179" end="1222"/>
  </contributor>
  <contributor label="Mayor Dorit Halvane is spending the receipts...on trams">
   <part label="Mayor Dorit Halvane is spending the receipts" start="1900" end="1944"/>
   <part label="on trams" start="1980" end="1988"/>
  </contributor>
  <contributor label="The revenue finances additional trams">
   <part label="The revenue finances additional trams" start="2763" end="2800"/>
  </contributor>
 </scu>
 <scu uid="4" label="The country's highest court let the toll stand">
  <contributor label="the Constitutional Court upheld the toll">
   <part label="the Constitutional Court upheld the toll" start="589" end="629"/>
  </contributor>
  <contributor label="Tervalia's highest judges decided...that Marenholt may keep its congestion charge">
   <part label="Tervalia's highest judges decided" start="686" end="719"/>
   <part label="that Marenholt may keep its congestion charge" start="728" end="773"/>
  </contributor>
  <contributor label="the Constitutional Court, which dismissed the case, so the charge stays">
   <part label="the Constitutional Court, which dismissed the case, so the charge stays" start="2022" end="2093"/>
  </contributor>
  <contributor label="The Constitutional Court...declared the toll lawful">
   <part label="The Constitutional Court" start="2678" end="2702"/>
   <part label="declared the toll lawful" start="2737" end="2761"/>
  </contributor>
 </scu>
 <scu uid="5" label="The council majority for the toll was three votes">
  <contributor label="voted 31 to 28">
   <part label="voted 31 to 28" start="97" end="111"/>
  </contributor>
  <contributor label="won the council's consent by only three votes">
   <part label="won the council's consent by only three votes" start="1286" end="1331"/>
  </contributor>
  <contributor label="councillors in Marenholt approved road pricing...with 31 in favour and 28 against">
   <part label="councillors in Marenholt approved road pricing" start="1435" end="1481"/>
   <part label="with 31 in favour and 28 against" start="1401" end="1433"/>
  </contributor>
 </scu>
 <scu uid="6" label="The toll came into force at the beginning of September">
  <contributor label="Since 2 September, drivers have paid">
   <part label="Since 2 September, drivers have paid" start="168" end="204"/>
  </contributor>
  <contributor label="The scheme went live on 2 September">
   <part label="The scheme went live on 2 September" start="1503" end="1538"/>
  </contributor>
  <contributor label="Collection began at the start of September">
   <part label="Collection began at the start of September" start="2280" end="2322"/>
  </contributor>
 </scu>
 <scu uid="7" label="The price for driving into the centre is six crowns for each day">
  <contributor label="drivers have paid six crowns a day to enter the old town">
   <part label="drivers have paid six crowns a day to enter the old town" start="187" end="243"/>
  </contributor>
  <contributor label="Taking a car into the old town costs six crowns per day">
   <part label="Taking a car into the old town costs six crowns per day" start="984" end="1039"/>
  </contributor>
  <contributor label="charge vehicles for entering its centre...six crowns daily">
   <part label="charge vehicles for entering its centre" start="2239" end="2278"/>
   <part label="six crowns daily" start="2324" end="2340"/>
  </contributor>
 </scu>
 <scu uid="8" label="Thousands of opponents took to the streets against the toll">
  <contributor label="About 9,000 shopkeepers and motorists marched to the town hall in protest">
   <part label="About 9,000 shopkeepers and motorists marched to the town hall in protest" start="270" end="343"/>
  </contributor>
  <contributor label="a protest parade of some 9,000 opponents">
   <part label="a protest parade of some 9,000 opponents" start="1548" end="1588"/>
  </contributor>
  <contributor label="a rally of thousands of angry traders and drivers">
   <part label="a rally of thousands of angry traders and drivers" start="2158" end="2207"/>
  </contributor>
 </scu>
 <scu uid="9" label="The Retail League took legal action against the toll">
  <contributor label="The Retail League, an association of shop owners, had gone to court">
   <part label="The Retail League, an association of shop owners, had gone to court" start="775" end="842"/>
  </contributor>
  <contributor label="The Retail League complained to the Constitutional Court">
   <part label="The Retail League complained to the Constitutional Court" start="1990" end="2046"/>
  </contributor>
  <contributor label="The Retail League sued">
   <part label="The Retail League sued" start="2601" end="2623"/>
  </contributor>
 </scu>
 <scu uid="10" label="The ruling of the highest court was given in June">
  <contributor label="In June, the Constitutional Court upheld the toll">
   <part label="In June, the Constitutional Court upheld the toll" start="580" end="629"/>
  </contributor>
  <contributor label="Tervalia's highest judges decided in June">
   <part label="Tervalia's highest judges decided in June" start="686" end="727"/>
  </contributor>
  <contributor label="The Constitutional Court overturned that order in June">
   <part label="The Constitutional Court overturned that order in June" start="2678" end="2732"/>
  </contributor>
 </scu>
 <scu uid="11" label="The council vote on the toll took place in March">
  <contributor label="voted 31 to 28 on 12 March to introduce a toll for cars">
   <part label="voted 31 to 28 on 12 March to introduce a toll for cars" start="97" end="152"/>
  </contributor>
  <contributor label="councillors in Marenholt approved road pricing for the city centre...On 12 March">
   <part label="councillors in Marenholt approved road pricing for the city centre" start="1435" end="1501"/>
   <part label="On 12 March" start="1388" end="1399"/>
  </contributor>
 </scu>
 <scu uid="12" label="The toll applies in the daytime, for twelve hours from seven o'clock">
  <contributor label="drivers have paid...between 7 a.m. and 7 p.m.">
   <part label="drivers have paid" start="187" end="204"/>
   <part label="between 7 a.m. and 7 p.m." start="244" end="269"/>
  </contributor>
  <contributor label="Collection...from seven in the morning until seven in the evening">
   <part label="Collection" start="2280" end="2290"/>
   <part label="from seven in the morning until seven in the evening" start="2342" end="2394"/>
  </contributor>
 </scu>
 <scu uid="13" label="Residents of the toll zone are charged only half the price">
  <contributor label="inhabitants of the zone get a 50 percent discount">
   <part label="inhabitants of the zone get a 50 percent discount" start="1041" end="1090"/>
  </contributor>
  <contributor label="people living in the centre pay half">
   <part label="people living in the centre pay half" start="1742" end="1778"/>
  </contributor>
 </scu>
 <scu uid="14" label="The number of people who took part in the protest was about 9,000">
  <contributor label="About 9,000 shopkeepers and motorists marched">
   <part label="About 9,000 shopkeepers and motorists marched" start="270" end="315"/>
  </contributor>
  <contributor label="a protest parade of some 9,000 opponents">
   <part label="a protest parade of some 9,000 opponents" start="1548" end="1588"/>
  </contributor>
 </scu>
 <scu uid="15" label="A blockade closed the Harbour Bridge for five hours">
  <contributor label="vans blocked the Harbour Bridge for five hours">
   <part label="vans blocked the Harbour Bridge for five hours" start="349" end="395"/>
  </contributor>
  <contributor label="Delivery drivers kept the Harbour Bridge shut for five hours">
   <part label="Delivery drivers kept the Harbour Bridge shut for five hours" start="1590" end="1650"/>
  </contributor>
 </scu>
 <scu uid="16" label="Retailers expected to lose business because of the toll">
  <contributor label="The Retail League, an association of shop owners...claiming that the fee would scare off customers">
   <part label="The Retail League, an association of shop owners" start="775" end="823"/>
   <part label="claiming that the fee would scare off customers" start="844" end="891"/>
  </contributor>
  <contributor label="merchants feared that shoppers would stay away">
   <part label="merchants feared that shoppers would stay away" start="1656" end="1702"/>
  </contributor>
 </scu>
 <scu uid="17" label="The ring road now carries 9 percent more traffic">
  <contributor label="traffic on the ring road rose by 9 percent">
   <part label="traffic on the ring road rose by 9 percent" start="473" end="515"/>
  </contributor>
  <contributor label="9 percent more cars clog the ring road">
   <part label="9 percent more cars clog the ring road" start="2561" end="2599"/>
  </contributor>
 </scu>
 <scu uid="18" label="The toll has raised 14 million crowns up to now">
  <contributor label="Toll income, 14 million crowns so far">
   <part label="Toll income, 14 million crowns so far" start="517" end="554"/>
  </contributor>
  <contributor label="the receipts, which stand at 14 million crowns">
   <part label="the receipts, which stand at 14 million crowns" start="1932" end="1978"/>
  </contributor>
 </scu>
 <scu uid="19" label="A tram line to Brévane will be paid for with toll money">
  <contributor label="Proceeds are earmarked...for a line to the suburb of Brévane">
   <part label="Proceeds are earmarked" start="1179" end="1201"/>
   <part label="for a line to the suburb of Brévane" start="1234" end="1269"/>
  </contributor>
  <contributor label="The revenue finances...rails to Brévane">
   <part label="The revenue finances" start="2763" end="2783"/>
   <part label="rails to Brévane" start="2805" end="2821"/>
  </contributor>
 </scu>
 <scu uid="20" label="In January a court of lower rank put the toll on hold">
  <contributor label="A lower court suspended the toll in January">
   <part label="A lower court suspended the toll in January" start="893" end="936"/>
  </contributor>
  <contributor label="administrative judges ordered a halt in January">
   <part label="administrative judges ordered a halt in January" start="2629" end="2676"/>
  </contributor>
 </scu>
 <scu uid="21" label="No toll is due for ambulances and taxis">
  <contributor label="Ambulances and taxis travel free">
   <part label="Ambulances and taxis travel free" start="1704" end="1736"/>
  </contributor>
 </scu>
 <scu uid="22" label="Buses need four minutes less for a journey">
  <contributor label="bus journeys had become four minutes shorter">
   <part label="bus journeys had become four minutes shorter" start="1854" end="1898"/>
  </contributor>
 </scu>
 <scu uid="23" label="Air pollution with nitrogen dioxide went down by 12 percent">
  <contributor label="nitrogen dioxide in the air fell by 12 percent">
   <part label="nitrogen dioxide in the air fell by 12 percent" start="2504" end="2550"/>
  </contributor>
 </scu>
 <scu uid="24" label="The toll cameras were switched off for nineteen days">
  <contributor label="the cameras stayed off for nineteen days">
   <part label="the cameras stayed off for nineteen days" start="942" end="982"/>
  </contributor>
 </scu>
</pyramid>
<annotation>
 <text>
  <line>Marenholt is famous for its harbour and its glass market, which attract two million visitors a year.</line>
  <line>Thousands of people demonstrated against the new toll for cars.</line>
  <line>Vans closed the Harbour Bridge for five hours, and police fined fourteen drivers.</line>
  <line>The number of cars in the centre went down by 22 percent in three months.</line>
  <line>The mayor, a former tram driver, said the city had never been so quiet.</line>
  <line>The court case lasted seven months and cost 300,000 crowns.</line>
  <line>In June, the highest court found the toll legal.</line>
  <line>Compared with the time before the toll, 22 percent fewer cars drove through the centre after its first three months.</line>
 </text>
 <peerscu uid="1" label="(4) Marenholt's council adopted a road toll for its centre">
 </peerscu>
 <peerscu uid="2" label="(4) In its first three months the toll cut the number of cars in the centre by over a fifth">
  <contributor label="The number of cars in the centre went down by 22 percent in three months">
   <part label="The number of cars in the centre went down by 22 percent in three months" start="247" end="319"/>
  </contributor>
  <contributor label="Compared with the time before the toll, 22 percent fewer cars drove through the centre after its first three months">
   <part label="Compared with the time before the toll, 22 percent fewer cars drove through the centre after its first three months" start="502" end="617"/>
  </contributor>
 </peerscu>
 <peerscu uid="3" label="(4) The money from the toll is meant for trams">
 </peerscu>
 <peerscu uid="4" label="(4) The country's highest court let the toll stand">
  <contributor label="the highest court found the toll legal">
   <part label="the highest court found the toll legal" start="462" end="500"/>
  </contributor>
 </peerscu>
 <peerscu uid="5" label="(3) The council majority for the toll was three votes">
 </peerscu>
 <peerscu uid="6" label="(3) The toll came into force at the beginning of September">
 </peerscu>
 <peerscu uid="7" label="(3) The price for driving into the centre is six crowns for each day">
 </peerscu>
 <peerscu uid="8" label="(3) Thousands of opponents took to the streets against the toll">
  <contributor label="Thousands of people demonstrated against the new toll for cars">
   <part label="Thousands of people demonstrated against the new toll for cars" start="101" end="163"/>
  </contributor>
 </peerscu>
 <peerscu uid="9" label="(3) The Retail League took legal action against the toll">
 </peerscu>
 <peerscu uid="10" label="(3) The ruling of the highest court was given in June">
  <contributor label="In June, the highest court found the toll legal">
   <part label="In June, the highest court found the toll legal" start="453" end="500"/>
  </contributor>
 </peerscu>
 <peerscu uid="11" label="(2) The council vote on the toll took place in March">
 </peerscu>
 <peerscu uid="12" label="(2) The toll applies in the daytime, for twelve hours from seven o'clock">
 </peerscu>
 <peerscu uid="13" label="(2) Residents of the toll zone are charged only half the price">
 </peerscu>
 <peerscu uid="14" label="(2) The number of people who took part in the protest was about 9,000">
 </peerscu>
 <peerscu uid="15" label="(2) A blockade closed the Harbour Bridge for five hours">
  <contributor label="Vans closed the Harbour Bridge for five hours">
   <part label="Vans closed the Harbour Bridge for five hours" start="165" end="210"/>
  </contributor>
 </peerscu>
 <peerscu uid="16" label="(2) Retailers expected to lose business because of the toll">
 </peerscu>
 <peerscu uid="17" label="(2) The ring road now carries 9 percent more traffic">
 </peerscu>
 <peerscu uid="18" label="(2) The toll has raised 14 million crowns up to now">
 </peerscu>
 <peerscu uid="19" label="(2) A tram line to Brévane will be paid for with toll money">
 </peerscu>
 <peerscu uid="20" label="(2) In January a court of lower rank put the toll on hold">
 </peerscu>
 <peerscu uid="21" label="(1) No toll is due for ambulances and taxis">
 </peerscu>
 <peerscu uid="22" label="(1) Buses need four minutes less for a journey">
 </peerscu>
 <peerscu uid="23" label="(1) Air pollution with nitrogen dioxide went down by 12 percent">
 </peerscu>
 <peerscu uid="24" label="(1) The toll cameras were switched off for nineteen days">
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="Marenholt is famous for its harbour and its glass market">
   <part label="Marenholt is famous for its harbour and its glass market" start="0" end="56"/>
  </contributor>
  <contributor label="its harbour and its glass market, which attract two million visitors a year">
   <part label="its harbour and its glass market, which attract two million visitors a year" start="24" end="99"/>
  </contributor>
  <contributor label="police fined fourteen drivers">
   <part label="police fined fourteen drivers" start="216" end="245"/>
  </contributor>
  <contributor label="The mayor, a former tram driver">
   <part label="The mayor, a former tram driver" start="321" end="352"/>
  </contributor>
  <contributor label="The mayor...said the city had never been so quiet">
   <part label="The mayor" start="321" end="330"/>
   <part label="said the city had never been so quiet" start="354" end="391"/>
  </contributor>
  <contributor label="The court case lasted seven months">
   <part label="The court case lasted seven months" start="393" end="427"/>
  </contributor>
  <contributor label="The court case...cost 300,000 crowns">
   <part label="The court case" start="393" end="407"/>
   <part label="cost 300,000 crowns" start="432" end="451"/>
  </contributor>
 </peerscu>
</annotation>
</peerAnnotation>
