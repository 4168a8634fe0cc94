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
  <line> S0106.M.100.S.A</line>
  <line>-----------------</line>
  <line></line>
  <line>On 8 May the 3,200 workers of the Kestrow shipyard in Dunmarrow walked out, demanding nine percent more pay and stricter safety rules after a welder was killed in an accident in January.</line>
  <line>The management offered three percent, and the first talks broke down on 29 May.</line>
  <line>Odel Marrish, a retired judge, then mediated between the two sides.</line>
  <line>After seven weeks the strike ended with an agreement under which wages rise by six percent and twelve safety inspectors are hired.</line>
  <line>In a ballot, 71 percent voted to accept the agreement.</line>
  <line>The strike cost the firm 48 million florins, and delivery of the ferry Aurelia was put off until autumn.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0106.M.100.S.B</line>
  <line>-----------------</line>
  <line></line>
  <line>A strike that halted shipbuilding at Dunmarrow for seven weeks is over, and the yard has been working again since 29 June.</line>
  <line>The stoppage by 3,200 Kestrow employees, which 84 percent had backed in a vote, began on 8 May.</line>
  <line>The union called for a nine percent pay increase and for safer working conditions, because an accident had cost a welder's life in January.</line>
  <line>Dockers in Port Ansel refused to unload steel for Kestrow, which lost 48 million florins through the stoppage; the average striker went without 2,100 florins in wages.</line>
  <line>A compromise brokered by former judge Odel Marrish raises pay by six percent and gives fourteen dismissed workers their jobs back.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0106.M.100.S.C</line>
  <line>-----------------</line>
  <line></line>
  <line>Nine percent higher wages was the chief demand of the 3,200 shipbuilders who laid down their tools at Kestrow on 8 May.</line>
  <line>Kestrow, willing to pay only three percent more, threatened to shift orders abroad.</line>
  <line>A first round of negotiations failed on 29 May, and police removed pickets who were blocking the main gate.</line>
  <line>On average, every striker forfeited 2,100 florins of income, and sales in the shops of Dunmarrow fell by a third.</line>
  <line>Seven weeks passed before the strike was called off.</line>
  <line>The settlement, approved by 71 percent of those voting, grants six percent more pay, and Kestrow will employ twelve inspectors to watch over safety.</line>
  <line>Director Emil Kérin has resigned.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0106.M.100.S.D</line>
  <line>-----------------</line>
  <line></line>
  <line>Shipbuilders at Kestrow returned to their jobs on 29 June after striking for seven weeks.</line>
  <line>All 3,200 had stopped work on 8 May, after 84 percent had voted for a strike.</line>
  <line>Besides a rise of nine percent, the strikers wanted better protection at work after a welder's fatal accident in January.</line>
  <line>Steel for the yard stayed aboard freighters, since dockers in Port Ansel would not handle the cargo.</line>
  <line>Mediation by Odel Marrish, once a judge, produced a deal that won 71 percent of votes and brings back fourteen fired workers.</line>
  <line>The bill for Kestrow came to 48 million florins, the ferry Aurelia will arrive late, in autumn, and the navy cancelled a patrol boat.</line>
  <line></line>
 </text>
 <scu uid="1" label="A strike by 3,200 Kestrow shipyard workers started on 8 May">
  <contributor label="On 8 May the 3,200 workers of the Kestrow shipyard in Dunmarrow walked out">
   <part label="On 8 May the 3,200 workers of the Kestrow shipyard in Dunmarrow walked out" start="55" end="129"/>
  </contributor>
  <contributor label="The stoppage by 3,200 Kestrow employees...began on 8 May">
   <part label="The stoppage by 3,200 Kestrow employees" start="859" end="898"/>
   <part label="began on 8 May" start="939" end="953"/>
  </contributor>
  <contributor label="the 3,200 shipbuilders...laid down their tools at Kestrow on 8 May">
   <part label="the 3,200 shipbuilders" start="1499" end="1521"/>
   <part label="laid down their tools at Kestrow on 8 May" start="1526" end="1567"/>
  </contributor>
  <contributor label="Shipbuilders at Kestrow...3,200 had stopped work on 8 May">
   <part label="Shipbuilders at Kestrow" start="2166" end="2189"/>
   <part label="3,200 had stopped work on 8 May" start="2260" end="2291"/>
  </contributor>
 </scu>
 <scu uid="2" label="The strike lasted for seven weeks">
  <contributor label="After seven weeks the strike ended">
   <part label="After seven weeks the strike ended" start="390" end="424"/>
  </contributor>
  <contributor label="A strike that halted shipbuilding at Dunmarrow for seven weeks is over">
   <part label="A strike that halted shipbuilding at Dunmarrow for seven weeks is over" start="736" end="806"/>
  </contributor>
  <contributor label="Seven weeks passed before the strike was called off">
   <part label="Seven weeks passed before the strike was called off" start="1875" end="1926"/>
  </contributor>
  <contributor label="Shipbuilders at Kestrow...striking for seven weeks">
   <part label="Shipbuilders at Kestrow" start="2166" end="2189"/>
   <part label="striking for seven weeks" start="2230" end="2254"/>
  </contributor>
 </scu>
 <scu uid="3" label="The workers demanded that pay go up by nine percent">
  <contributor label="workers of the Kestrow shipyard...demanding nine percent more pay">
   <part label="workers of the Kestrow shipyard" start="74" end="105"/>
   <part label="demanding nine percent more pay" start="131" end="162"/>
  </contributor>
  <contributor label="The union called for a nine percent pay increase">
   <part label="The union called for a nine percent pay increase" start="955" end="1003"/>
  </contributor>
  <contributor label="Nine percent higher wages was the chief demand of the 3,200 shipbuilders">
   <part label="Nine percent higher wages was the chief demand of the 3,200 shipbuilders" start="1449" end="1521"/>
  </contributor>
  <contributor label="the strikers wanted...a rise of nine percent">
   <part label="the strikers wanted" start="2366" end="2385"/>
   <part label="a rise of nine percent" start="2342" end="2364"/>
  </contributor>
 </scu>
 <scu uid="4" label="The agreement raises wages by six percent">
  <contributor label="an agreement under which wages rise by six percent">
   <part label="an agreement under which wages rise by six percent" start="430" end="480"/>
  </contributor>
  <contributor label="A compromise...raises pay by six percent">
   <part label="A compromise" start="1263" end="1275"/>
   <part label="raises pay by six percent" start="1314" end="1339"/>
  </contributor>
  <contributor label="The settlement...grants six percent more pay">
   <part label="The settlement" start="1928" end="1942"/>
   <part label="grants six percent more pay" start="1984" end="2011"/>
  </contributor>
 </scu>
 <scu uid="5" label="The company offered a pay increase of three percent">
  <contributor label="The management offered three percent">
   <part label="The management offered three percent" start="242" end="278"/>
  </contributor>
  <contributor label="Kestrow, willing to pay only three percent more">
   <part label="Kestrow, willing to pay only three percent more" start="1569" end="1616"/>
  </contributor>
 </scu>
 <scu uid="6" label="The workers demanded more safety at work">
  <contributor label="workers of the Kestrow shipyard...demanding...stricter safety rules">
   <part label="workers of the Kestrow shipyard" start="74" end="105"/>
   <part label="demanding" start="131" end="140"/>
   <part label="stricter safety rules" start="167" end="188"/>
  </contributor>
  <contributor label="The union called for...safer working conditions">
   <part label="The union called for" start="955" end="975"/>
   <part label="safer working conditions" start="1012" end="1036"/>
  </contributor>
  <contributor label="the strikers wanted better protection at work">
   <part label="the strikers wanted better protection at work" start="2366" end="2411"/>
  </contributor>
 </scu>
 <scu uid="7" label="A welder died in an accident in January">
  <contributor label="a welder was killed in an accident in January">
   <part label="a welder was killed in an accident in January" start="195" end="240"/>
  </contributor>
  <contributor label="an accident had cost a welder's life in January">
   <part label="an accident had cost a welder's life in January" start="1046" end="1093"/>
  </contributor>
  <contributor label="a welder's fatal accident in January">
   <part label="a welder's fatal accident in January" start="2418" end="2454"/>
  </contributor>
 </scu>
 <scu uid="8" label="The former judge Odel Marrish mediated in the dispute">
  <contributor label="Odel Marrish, a retired judge, then mediated between the two sides">
   <part label="Odel Marrish, a retired judge, then mediated between the two sides" start="322" end="388"/>
  </contributor>
  <contributor label="A compromise brokered by former judge Odel Marrish">
   <part label="A compromise brokered by former judge Odel Marrish" start="1263" end="1313"/>
  </contributor>
  <contributor label="Mediation by Odel Marrish, once a judge, produced a deal">
   <part label="Mediation by Odel Marrish, once a judge, produced a deal" start="2557" end="2613"/>
  </contributor>
 </scu>
 <scu uid="9" label="In a vote, 71 percent supported the agreement">
  <contributor label="In a ballot, 71 percent voted to accept the agreement">
   <part label="In a ballot, 71 percent voted to accept the agreement" start="521" end="574"/>
  </contributor>
  <contributor label="The settlement, approved by 71 percent of those voting">
   <part label="The settlement, approved by 71 percent of those voting" start="1928" end="1982"/>
  </contributor>
  <contributor label="a deal that won 71 percent of votes">
   <part label="a deal that won 71 percent of votes" start="2607" end="2642"/>
  </contributor>
 </scu>
 <scu uid="10" label="In a vote, 84 percent supported going on strike">
  <contributor label="84 percent had backed in a vote...The stoppage by 3,200 Kestrow employees">
   <part label="84 percent had backed in a vote" start="906" end="937"/>
   <part label="The stoppage by 3,200 Kestrow employees" start="859" end="898"/>
  </contributor>
  <contributor label="84 percent had voted for a strike">
   <part label="84 percent had voted for a strike" start="2299" end="2332"/>
  </contributor>
 </scu>
 <scu uid="11" label="Kestrow lost 48 million florins because of the strike">
  <contributor label="The strike cost the firm 48 million florins">
   <part label="The strike cost the firm 48 million florins" start="576" end="619"/>
  </contributor>
  <contributor label="Kestrow, which lost 48 million florins through the stoppage">
   <part label="Kestrow, which lost 48 million florins through the stoppage" start="1145" end="1204"/>
  </contributor>
  <contributor label="The bill for Kestrow came to 48 million florins">
   <part label="The bill for Kestrow came to 48 million florins" start="2683" end="2730"/>
  </contributor>
 </scu>
 <scu uid="12" label="Strikers lost 2,100 florins of pay each on average">
  <contributor label="the average striker went without 2,100 florins in wages">
   <part label="the average striker went without 2,100 florins in wages" start="1206" end="1261"/>
  </contributor>
  <contributor label="On average, every striker forfeited 2,100 florins of income">
   <part label="On average, every striker forfeited 2,100 florins of income" start="1761" end="1820"/>
  </contributor>
 </scu>
 <scu uid="13" label="The first negotiations failed on 29 May">
  <contributor label="the first talks broke down on 29 May">
   <part label="the first talks broke down on 29 May" start="284" end="320"/>
  </contributor>
  <contributor label="A first round of negotiations failed on 29 May">
   <part label="A first round of negotiations failed on 29 May" start="1653" end="1699"/>
  </contributor>
 </scu>
 <scu uid="14" label="Work at the shipyard resumed on 29 June">
  <contributor label="the yard has been working again since 29 June">
   <part label="the yard has been working again since 29 June" start="812" end="857"/>
  </contributor>
  <contributor label="Shipbuilders at Kestrow returned to their jobs on 29 June">
   <part label="Shipbuilders at Kestrow returned to their jobs on 29 June" start="2166" end="2223"/>
  </contributor>
 </scu>
 <scu uid="15" label="Kestrow will hire twelve safety inspectors">
  <contributor label="an agreement under which...twelve safety inspectors are hired">
   <part label="an agreement under which" start="430" end="454"/>
   <part label="twelve safety inspectors are hired" start="485" end="519"/>
  </contributor>
  <contributor label="Kestrow will employ twelve inspectors to watch over safety">
   <part label="Kestrow will employ twelve inspectors to watch over safety" start="2017" end="2075"/>
  </contributor>
 </scu>
 <scu uid="16" label="Fourteen workers whom Kestrow had dismissed will be re-employed">
  <contributor label="A compromise...gives fourteen dismissed workers their jobs back">
   <part label="A compromise" start="1263" end="1275"/>
   <part label="gives fourteen dismissed workers their jobs back" start="1344" end="1392"/>
  </contributor>
  <contributor label="a deal that...brings back fourteen fired workers">
   <part label="a deal that" start="2607" end="2618"/>
   <part label="brings back fourteen fired workers" start="2647" end="2681"/>
  </contributor>
 </scu>
 <scu uid="17" label="Dockers in Port Ansel would not unload steel meant for Kestrow">
  <contributor label="Dockers in Port Ansel refused to unload steel for Kestrow">
   <part label="Dockers in Port Ansel refused to unload steel for Kestrow" start="1095" end="1152"/>
  </contributor>
  <contributor label="dockers in Port Ansel would not handle the cargo...Steel for the yard stayed aboard freighters">
   <part label="dockers in Port Ansel would not handle the cargo" start="2507" end="2555"/>
   <part label="Steel for the yard stayed aboard freighters" start="2456" end="2499"/>
  </contributor>
 </scu>
 <scu uid="18" label="The ferry Aurelia is delayed until autumn">
  <contributor label="delivery of the ferry Aurelia was put off until autumn">
   <part label="delivery of the ferry Aurelia was put off until autumn" start="625" end="679"/>
  </contributor>
  <contributor label="the ferry Aurelia will arrive late, in autumn">
   <part label="the ferry Aurelia will arrive late, in autumn" start="2732" end="2777"/>
  </contributor>
 </scu>
 <scu uid="19" label="Kestrow threatened to move orders to other countries">
  <contributor label="Kestrow, willing to pay only three percent more, threatened to shift orders abroad">
   <part label="Kestrow, willing to pay only three percent more, threatened to shift orders abroad" start="1569" end="1651"/>
  </contributor>
 </scu>
 <scu uid="20" label="Police cleared away pickets blocking the main gate">
  <contributor label="police removed pickets who were blocking the main gate">
   <part label="police removed pickets who were blocking the main gate" start="1705" end="1759"/>
  </contributor>
 </scu>
 <scu uid="21" label="Shops in Dunmarrow sold a third less than usual">
  <contributor label="sales in the shops of Dunmarrow fell by a third">
   <part label="sales in the shops of Dunmarrow fell by a third" start="1826" end="1873"/>
  </contributor>
 </scu>
 <scu uid="22" label="The director of Kestrow, Emil Kérin, stepped down">
  <contributor label="Director Emil Kérin has resigned">
   <part label="Director Emil Kérin has resigned" start="2077" end="2109"/>
  </contributor>
 </scu>
 <scu uid="23" label="The navy cancelled its order for a patrol boat">
  <contributor label="the navy cancelled a patrol boat">
   <part label="the navy cancelled a patrol boat" start="2783" end="2815"/>
  </contributor>
 </scu>
</pyramid>
<annotation>
 <text>
  <line>The strike at the Kestrow shipyard went on for seven weeks.</line>
  <line>A strike at the same yard eleven years ago had lasted only nine days.</line>
  <line>Nine percent more pay was what the union wanted.</line>
  <line>Dockers in Port Ansel collected 9,000 florins for the strikers, who cooked soup and burned old pallets in front of the yard.</line>
  <line>Police carried off pickets who had blocked the main gate.</line>
  <line>In a survey, 58 percent of townspeople supported the strikers.</line>
  <line>The workers stayed out for seven weeks in all.</line>
  <line>Fourteen workers who had lost their jobs will be taken back, and the navy has withdrawn its order for a patrol boat.</line>
  <line>Union leader Ilse Varrand spoke of a victory.</line>
 </text>
 <peerscu uid="1" label="(4) A strike by 3,200 Kestrow shipyard workers started on 8 May">
 </peerscu>
 <peerscu uid="2" label="(4) The strike lasted for seven weeks">
  <contributor label="The strike at the Kestrow shipyard went on for seven weeks">
   <part label="The strike at the Kestrow shipyard went on for seven weeks" start="0" end="58"/>
  </contributor>
  <contributor label="The workers stayed out for seven weeks in all">
   <part label="The workers stayed out for seven weeks in all" start="425" end="470"/>
  </contributor>
 </peerscu>
 <peerscu uid="3" label="(4) The workers demanded that pay go up by nine percent">
  <contributor label="Nine percent more pay was what the union wanted">
   <part label="Nine percent more pay was what the union wanted" start="130" end="177"/>
  </contributor>
 </peerscu>
 <peerscu uid="4" label="(3) The agreement raises wages by six percent">
 </peerscu>
 <peerscu uid="6" label="(3) The workers demanded more safety at work">
 </peerscu>
 <peerscu uid="7" label="(3) A welder died in an accident in January">
 </peerscu>
 <peerscu uid="8" label="(3) The former judge Odel Marrish mediated in the dispute">
 </peerscu>
 <peerscu uid="9" label="(3) In a vote, 71 percent supported the agreement">
 </peerscu>
 <peerscu uid="11" label="(3) Kestrow lost 48 million florins because of the strike">
 </peerscu>
 <peerscu uid="5" label="(2) The company offered a pay increase of three percent">
 </peerscu>
 <peerscu uid="10" label="(2) In a vote, 84 percent supported going on strike">
 </peerscu>
 <peerscu uid="12" label="(2) Strikers lost 2,100 florins of pay each on average">
 </peerscu>
 <peerscu uid="13" label="(2) The first negotiations failed on 29 May">
 </peerscu>
 <peerscu uid="14" label="(2) Work at the shipyard resumed on 29 June">
 </peerscu>
 <peerscu uid="15" label="(2) Kestrow will hire twelve safety inspectors">
 </peerscu>
 <peerscu uid="16" label="(2) Fourteen workers whom Kestrow had dismissed will be re-employed">
  <contributor label="Fourteen workers who had lost their jobs will be taken back">
   <part label="Fourteen workers who had lost their jobs will be taken back" start="472" end="531"/>
  </contributor>
 </peerscu>
 <peerscu uid="17" label="(2) Dockers in Port Ansel would not unload steel meant for Kestrow">
 </peerscu>
 <peerscu uid="18" label="(2) The ferry Aurelia is delayed until autumn">
 </peerscu>
 <peerscu uid="19" label="(1) Kestrow threatened to move orders to other countries">
 </peerscu>
 <peerscu uid="20" label="(1) Police cleared away pickets blocking the main gate">
  <contributor label="Police carried off pickets who had blocked the main gate">
   <part label="Police carried off pickets who had blocked the main gate" start="304" end="360"/>
  </contributor>
 </peerscu>
 <peerscu uid="21" label="(1) Shops in Dunmarrow sold a third less than usual">
 </peerscu>
 <peerscu uid="22" label="(1) The director of Kestrow, Emil Kérin, stepped down">
 </peerscu>
 <peerscu uid="23" label="(1) The navy cancelled its order for a patrol boat">
  <contributor label="the navy has withdrawn its order for a patrol boat">
   <part label="the navy has withdrawn its order for a patrol boat" start="537" end="587"/>
  </contributor>
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="A strike at the same yard eleven years ago had lasted only nine days">
   <part label="A strike at the same yard eleven years ago had lasted only nine days" start="60" end="128"/>
  </contributor>
  <contributor label="Dockers in Port Ansel collected 9,000 florins for the strikers">
   <part label="Dockers in Port Ansel collected 9,000 florins for the strikers" start="179" end="241"/>
  </contributor>
  <contributor label="the strikers, who cooked soup and burned old pallets in front of the yard">
   <part label="the strikers, who cooked soup and burned old pallets in front of the yard" start="229" end="302"/>
  </contributor>
  <contributor label="In a survey, 58 percent of townspeople supported the strikers">
   <part label="In a survey, 58 percent of townspeople supported the strikers" start="362" end="423"/>
  </contributor>
  <contributor label="Union leader Ilse Varrand spoke of a victory">
   <part label="Union leader Ilse Varrand spoke of a victory" start="589" end="633"/>
  </contributor>
 </peerscu>
</annotation>
</peerAnnotation>
