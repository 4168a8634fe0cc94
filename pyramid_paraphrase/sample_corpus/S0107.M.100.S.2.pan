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
  <line> S0107.M.100.S.A</line>
  <line>-----------------</line>
  <line></line>
  <line>The vaccine Tavrelin was tried in 12,400 Kelvarian children and prevented 87 percent of reed fever infections.</line>
  <line>One child in ten had a mild fever afterwards, and seven suffered seizures but recovered completely.</line>
  <line>The medicines board licensed Tavrelin on March 3.</line>
  <line>In April, Health Minister Irena Dolvas rejected the price of 46 crowns a dose asked by Quessary Labs.</line>
  <line>In June, Dolvas approved the price of 19 crowns a dose.</line>
  <line>Vaccination began on September 1.</line>
  <line>By December, 71 percent of the country's children were vaccinated, short of the target of 85 percent.</line>
  <line>In the province of Tolm, coverage stood at 38 percent because a radio preacher had told parents that the vaccine was dangerous.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0107.M.100.S.B</line>
  <line>-----------------</line>
  <line></line>
  <line>Reed fever kills about 900 Kelvarian children a year.</line>
  <line>Quessary Labs enrolled more than 12,000 youngsters in its study of Tavrelin and saw infections fall by 87 percent.</line>
  <line>Seven participants had convulsions, none with lasting harm, and outside experts judged the benefits greater than the risks.</line>
  <line>The firm demanded 46 crowns per injection, which the government turned down in April.</line>
  <line>Two months later the firm settled for 19 crowns, after the ministry had threatened to order a copy from a rival.</line>
  <line>Inoculations started in September with money from the Orlune Foundation.</line>
  <line>Fewer than four in ten children were immunised in Tolm, where a preacher's radio talks frightened families.</line>
  <line>Nurses on horseback now visit villages there.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0107.M.100.S.C</line>
  <line>-----------------</line>
  <line></line>
  <line>Kelvaria opened its drive against reed fever on September 1 in the schools of Sérannes, the capital.</line>
  <line>Each child receives two doses six weeks apart.</line>
  <line>A study of 12,400 children had found Tavrelin to be 87 percent effective.</line>
  <line>Raised temperatures were common after the injection but passed within days.</line>
  <line>Quessary Labs had first set the cost of a dose at 46 crowns, and doctors marched in May to accuse the company of greed.</line>
  <line>Quessary cut the cost to 19 crowns in June.</line>
  <line>Just over seven in ten children nationwide were vaccinated by the end of the year, although officials had hoped for 85 percent.</line>
  <line>Hospital admissions for reed fever have since fallen by 60 percent.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0107.M.100.S.D</line>
  <line>-----------------</line>
  <line></line>
  <line>Nurses ride into the villages of Tolm with the vaccine that parents feared after a preacher's radio attacks.</line>
  <line>Tolm reached 38 percent coverage by December, against a national average of 71 percent.</line>
  <line>Seven children had fits during the trial, but all got well.</line>
  <line>An independent panel found that the vaccine stopped 87 percent of infections and did more good than harm.</line>
  <line>Regulatory approval came in March.</line>
  <line>The health minister refused Quessary's first price in April, doctors demonstrated against the manufacturer in May, and a deal at 19 crowns followed in June.</line>
  <line>The Orlune Foundation pays a third of the bill.</line>
  <line>Since the campaign opened in September, 60 percent fewer reed fever patients have entered hospital.</line>
  <line></line>
 </text>
 <scu uid="1" label="Giving Tavrelin reduced reed fever infections by 87 percent">
  <contributor label="The vaccine Tavrelin...prevented 87 percent of reed fever infections">
   <part label="The vaccine Tavrelin" start="55" end="75"/>
   <part label="prevented 87 percent of reed fever infections" start="119" end="164"/>
  </contributor>
  <contributor label="saw infections fall by 87 percent...in its study of Tavrelin">
   <part label="saw infections fall by 87 percent" start="927" end="960"/>
   <part label="in its study of Tavrelin" start="898" end="922"/>
  </contributor>
  <contributor label="found Tavrelin to be 87 percent effective">
   <part label="found Tavrelin to be 87 percent effective" start="1746" end="1787"/>
  </contributor>
  <contributor label="the vaccine stopped 87 percent of infections">
   <part label="the vaccine stopped 87 percent of infections" start="2569" end="2613"/>
  </contributor>
 </scu>
 <scu uid="2" label="The price of the vaccine was settled at 19 crowns in June">
  <contributor label="In June, Dolvas approved the price of 19 crowns a dose">
   <part label="In June, Dolvas approved the price of 19 crowns a dose" start="418" end="472"/>
  </contributor>
  <contributor label="in April...Two months later the firm settled for 19 crowns">
   <part label="in April" start="1162" end="1170"/>
   <part label="Two months later the firm settled for 19 crowns" start="1172" end="1219"/>
  </contributor>
  <contributor label="Quessary cut the cost to 19 crowns in June">
   <part label="Quessary cut the cost to 19 crowns in June" start="1985" end="2027"/>
  </contributor>
  <contributor label="a deal at 19 crowns followed in June">
   <part label="a deal at 19 crowns followed in June" start="2797" end="2833"/>
  </contributor>
 </scu>
 <scu uid="3" label="Vaccination of children in Kelvaria started in September">
  <contributor label="Vaccination began on September 1">
   <part label="Vaccination began on September 1" start="474" end="506"/>
  </contributor>
  <contributor label="Inoculations started in September">
   <part label="Inoculations started in September" start="1285" end="1318"/>
  </contributor>
  <contributor label="Kelvaria opened its drive against reed fever on September 1">
   <part label="Kelvaria opened its drive against reed fever on September 1" start="1567" end="1626"/>
  </contributor>
  <contributor label="the campaign opened in September">
   <part label="the campaign opened in September" start="2889" end="2921"/>
  </contributor>
 </scu>
 <scu uid="4" label="More than 12,000 children took part in the vaccine trial">
  <contributor label="The vaccine Tavrelin was tried in 12,400 Kelvarian children">
   <part label="The vaccine Tavrelin was tried in 12,400 Kelvarian children" start="55" end="114"/>
  </contributor>
  <contributor label="Quessary Labs enrolled more than 12,000 youngsters in its study of Tavrelin">
   <part label="Quessary Labs enrolled more than 12,000 youngsters in its study of Tavrelin" start="847" end="922"/>
  </contributor>
  <contributor label="A study of 12,400 children">
   <part label="A study of 12,400 children" start="1715" end="1741"/>
  </contributor>
 </scu>
 <scu uid="5" label="Seven children in the trial experienced seizures">
  <contributor label="seven suffered seizures">
   <part label="seven suffered seizures" start="216" end="239"/>
  </contributor>
  <contributor label="Seven participants had convulsions">
   <part label="Seven participants had convulsions" start="962" end="996"/>
  </contributor>
  <contributor label="Seven children had fits during the trial">
   <part label="Seven children had fits during the trial" start="2477" end="2517"/>
  </contributor>
 </scu>
 <scu uid="6" label="The children who had seizures made a full recovery">
  <contributor label="seven suffered seizures but recovered completely">
   <part label="seven suffered seizures but recovered completely" start="216" end="264"/>
  </contributor>
  <contributor label="Seven participants had convulsions, none with lasting harm">
   <part label="Seven participants had convulsions, none with lasting harm" start="962" end="1020"/>
  </contributor>
  <contributor label="Seven children had fits...but all got well">
   <part label="Seven children had fits" start="2477" end="2500"/>
   <part label="but all got well" start="2519" end="2535"/>
  </contributor>
 </scu>
 <scu uid="7" label="Fewer than 40 percent of the children of Tolm were vaccinated">
  <contributor label="In the province of Tolm, coverage stood at 38 percent">
   <part label="In the province of Tolm, coverage stood at 38 percent" start="610" end="663"/>
  </contributor>
  <contributor label="Fewer than four in ten children were immunised in Tolm">
   <part label="Fewer than four in ten children were immunised in Tolm" start="1358" end="1412"/>
  </contributor>
  <contributor label="Tolm reached 38 percent coverage by December">
   <part label="Tolm reached 38 percent coverage by December" start="2389" end="2433"/>
  </contributor>
 </scu>
 <scu uid="8" label="At the year's end about 71 percent of all children in the country were vaccinated">
  <contributor label="By December, 71 percent of the country's children were vaccinated">
   <part label="By December, 71 percent of the country's children were vaccinated" start="508" end="573"/>
  </contributor>
  <contributor label="Just over seven in ten children nationwide were vaccinated by the end of the year">
   <part label="Just over seven in ten children nationwide were vaccinated by the end of the year" start="2029" end="2110"/>
  </contributor>
  <contributor label="coverage by December...a national average of 71 percent">
   <part label="coverage by December" start="2413" end="2433"/>
   <part label="a national average of 71 percent" start="2443" end="2475"/>
  </contributor>
 </scu>
 <scu uid="9" label="A preacher turned families in Tolm against the vaccine through radio speeches">
  <contributor label="In the province of Tolm...because a radio preacher had told parents that the vaccine was dangerous">
   <part label="In the province of Tolm" start="610" end="633"/>
   <part label="because a radio preacher had told parents that the vaccine was dangerous" start="664" end="736"/>
  </contributor>
  <contributor label="a preacher's radio talks frightened families...in Tolm">
   <part label="a preacher's radio talks frightened families" start="1420" end="1464"/>
   <part label="in Tolm" start="1405" end="1412"/>
  </contributor>
  <contributor label="the villages of Tolm...the vaccine that parents feared after a preacher's radio attacks">
   <part label="the villages of Tolm" start="2297" end="2317"/>
   <part label="the vaccine that parents feared after a preacher's radio attacks" start="2323" end="2387"/>
  </contributor>
 </scu>
 <scu uid="10" label="Quessary at first wanted 46 crowns for a dose">
  <contributor label="the price of 46 crowns a dose asked by Quessary Labs">
   <part label="the price of 46 crowns a dose asked by Quessary Labs" start="364" end="416"/>
  </contributor>
  <contributor label="The firm demanded 46 crowns per injection">
   <part label="The firm demanded 46 crowns per injection" start="1086" end="1127"/>
  </contributor>
  <contributor label="Quessary Labs had first set the cost of a dose at 46 crowns">
   <part label="Quessary Labs had first set the cost of a dose at 46 crowns" start="1865" end="1924"/>
  </contributor>
 </scu>
 <scu uid="11" label="The government would not accept the original price in April">
  <contributor label="In April, Health Minister Irena Dolvas rejected the price of 46 crowns a dose">
   <part label="In April, Health Minister Irena Dolvas rejected the price of 46 crowns a dose" start="316" end="393"/>
  </contributor>
  <contributor label="The firm demanded 46 crowns...which the government turned down in April">
   <part label="The firm demanded 46 crowns" start="1086" end="1113"/>
   <part label="which the government turned down in April" start="1129" end="1170"/>
  </contributor>
  <contributor label="The health minister refused Quessary's first price in April">
   <part label="The health minister refused Quessary's first price in April" start="2678" end="2737"/>
  </contributor>
 </scu>
 <scu uid="12" label="The authorities were aiming for a coverage of 85 percent">
  <contributor label="short of the target of 85 percent">
   <part label="short of the target of 85 percent" start="575" end="608"/>
  </contributor>
  <contributor label="officials had hoped for 85 percent">
   <part label="officials had hoped for 85 percent" start="2121" end="2155"/>
  </contributor>
 </scu>
 <scu uid="13" label="Fever occurred as a side effect in some vaccinated children">
  <contributor label="One child in ten had a mild fever afterwards">
   <part label="One child in ten had a mild fever afterwards" start="166" end="210"/>
  </contributor>
  <contributor label="Raised temperatures were common after the injection but passed within days">
   <part label="Raised temperatures were common after the injection but passed within days" start="1789" end="1863"/>
  </contributor>
 </scu>
 <scu uid="14" label="Independent experts concluded that the benefits of the vaccine outweighed its dangers">
  <contributor label="outside experts judged the benefits greater than the risks">
   <part label="outside experts judged the benefits greater than the risks" start="1026" end="1084"/>
  </contributor>
  <contributor label="An independent panel found that the vaccine...did more good than harm">
   <part label="An independent panel found that the vaccine" start="2537" end="2580"/>
   <part label="did more good than harm" start="2618" end="2641"/>
  </contributor>
 </scu>
 <scu uid="15" label="The regulatory authority approved Tavrelin for use in March">
  <contributor label="The medicines board licensed Tavrelin on March 3">
   <part label="The medicines board licensed Tavrelin on March 3" start="266" end="314"/>
  </contributor>
  <contributor label="Regulatory approval came in March">
   <part label="Regulatory approval came in March" start="2643" end="2676"/>
  </contributor>
 </scu>
 <scu uid="16" label="The Orlune Foundation helps to pay for the vaccination campaign">
  <contributor label="Inoculations started...with money from the Orlune Foundation">
   <part label="Inoculations started" start="1285" end="1305"/>
   <part label="with money from the Orlune Foundation" start="1319" end="1356"/>
  </contributor>
  <contributor label="The Orlune Foundation pays a third of the bill">
   <part label="The Orlune Foundation pays a third of the bill" start="2835" end="2881"/>
  </contributor>
 </scu>
 <scu uid="17" label="Nurses ride out to villages in the province of Tolm">
  <contributor label="in Tolm...Nurses on horseback now visit villages there">
   <part label="in Tolm" start="1405" end="1412"/>
   <part label="Nurses on horseback now visit villages there" start="1466" end="1510"/>
  </contributor>
  <contributor label="Nurses ride into the villages of Tolm with the vaccine">
   <part label="Nurses ride into the villages of Tolm with the vaccine" start="2280" end="2334"/>
  </contributor>
 </scu>
 <scu uid="18" label="Doctors protested in public against the vaccine maker in May">
  <contributor label="doctors marched in May to accuse the company of greed">
   <part label="doctors marched in May to accuse the company of greed" start="1930" end="1983"/>
  </contributor>
  <contributor label="doctors demonstrated against the manufacturer in May">
   <part label="doctors demonstrated against the manufacturer in May" start="2739" end="2791"/>
  </contributor>
 </scu>
 <scu uid="19" label="The number of reed fever patients in hospital dropped by 60 percent">
  <contributor label="Hospital admissions for reed fever have since fallen by 60 percent">
   <part label="Hospital admissions for reed fever have since fallen by 60 percent" start="2157" end="2223"/>
  </contributor>
  <contributor label="Since the campaign opened in September, 60 percent fewer reed fever patients have entered hospital">
   <part label="Since the campaign opened in September, 60 percent fewer reed fever patients have entered hospital" start="2883" end="2981"/>
  </contributor>
 </scu>
 <scu uid="20" label="About 900 Kelvarian children die of reed fever every year">
  <contributor label="Reed fever kills about 900 Kelvarian children a year">
   <part label="Reed fever kills about 900 Kelvarian children a year" start="793" end="845"/>
  </contributor>
 </scu>
 <scu uid="21" label="The ministry warned that it might buy an imitation from a competitor">
  <contributor label="the ministry had threatened to order a copy from a rival">
   <part label="the ministry had threatened to order a copy from a rival" start="1227" end="1283"/>
  </contributor>
 </scu>
 <scu uid="22" label="Two injections are given with six weeks between them">
  <contributor label="Each child receives two doses six weeks apart">
   <part label="Each child receives two doses six weeks apart" start="1668" end="1713"/>
  </contributor>
 </scu>
 <scu uid="23" label="Schools in the capital were the first places of vaccination">
  <contributor label="Kelvaria opened its drive against reed fever...in the schools of Sérannes, the capital">
   <part label="Kelvaria opened its drive against reed fever" start="1567" end="1611"/>
   <part label="in the schools of Sérannes, the capital" start="1627" end="1666"/>
  </contributor>
 </scu>
 <scu uid="24" label="One third of the cost is borne by the Orlune Foundation">
  <contributor label="The Orlune Foundation pays a third of the bill">
   <part label="The Orlune Foundation pays a third of the bill" start="2835" end="2881"/>
  </contributor>
 </scu>
</pyramid>
<annotation>
 <text>
  <line>Reed fever is carried by marsh flies and takes the lives of about 900 Kelvarian children each year.</line>
  <line>The health minister, Irena Dolvas, is a former surgeon.</line>
  <line>In April, Dolvas said no to the price wanted by the manufacturer.</line>
  <line>Farmers protested in May against the price of a vaccine for cattle.</line>
  <line>The vaccination campaign started in September.</line>
  <line>September was the month in which the inoculation of children got under way, officials said.</line>
  <line>Two doses are given to each child at an interval of six weeks.</line>
  <line>Some parents complained about long queues at clinics in the capital.</line>
  <line>The Orlune Foundation helped to finance the programme.</line>
  <line>The ministry plans to hire 200 nurses next year.</line>
 </text>
 <peerscu uid="1" label="(4) Giving Tavrelin reduced reed fever infections by 87 percent">
 </peerscu>
 <peerscu uid="2" label="(4) The price of the vaccine was settled at 19 crowns in June">
 </peerscu>
 <peerscu uid="3" label="(4) Vaccination of children in Kelvaria started in September">
  <contributor label="The vaccination campaign started in September">
   <part label="The vaccination campaign started in September" start="290" end="335"/>
  </contributor>
  <contributor label="September was the month in which the inoculation of children got under way, officials said">
   <part label="September was the month in which the inoculation of children got under way, officials said" start="337" end="427"/>
  </contributor>
 </peerscu>
 <peerscu uid="4" label="(3) More than 12,000 children took part in the vaccine trial">
 </peerscu>
 <peerscu uid="5" label="(3) Seven children in the trial experienced seizures">
 </peerscu>
 <peerscu uid="6" label="(3) The children who had seizures made a full recovery">
 </peerscu>
 <peerscu uid="7" label="(3) Fewer than 40 percent of the children of Tolm were vaccinated">
 </peerscu>
 <peerscu uid="8" label="(3) At the year's end about 71 percent of all children in the country were vaccinated">
 </peerscu>
 <peerscu uid="9" label="(3) A preacher turned families in Tolm against the vaccine through radio speeches">
 </peerscu>
 <peerscu uid="10" label="(3) Quessary at first wanted 46 crowns for a dose">
 </peerscu>
 <peerscu uid="11" label="(3) The government would not accept the original price in April">
  <contributor label="In April, Dolvas said no to the price wanted by the manufacturer">
   <part label="In April, Dolvas said no to the price wanted by the manufacturer" start="156" end="220"/>
  </contributor>
 </peerscu>
 <peerscu uid="12" label="(2) The authorities were aiming for a coverage of 85 percent">
 </peerscu>
 <peerscu uid="13" label="(2) Fever occurred as a side effect in some vaccinated children">
 </peerscu>
 <peerscu uid="14" label="(2) Independent experts concluded that the benefits of the vaccine outweighed its dangers">
 </peerscu>
 <peerscu uid="15" label="(2) The regulatory authority approved Tavrelin for use in March">
 </peerscu>
 <peerscu uid="16" label="(2) The Orlune Foundation helps to pay for the vaccination campaign">
  <contributor label="The Orlune Foundation helped to finance the programme">
   <part label="The Orlune Foundation helped to finance the programme" start="561" end="614"/>
  </contributor>
 </peerscu>
 <peerscu uid="17" label="(2) Nurses ride out to villages in the province of Tolm">
 </peerscu>
 <peerscu uid="18" label="(2) Doctors protested in public against the vaccine maker in May">
 </peerscu>
 <peerscu uid="19" label="(2) The number of reed fever patients in hospital dropped by 60 percent">
 </peerscu>
 <peerscu uid="20" label="(1) About 900 Kelvarian children die of reed fever every year">
  <contributor label="Reed fever...takes the lives of about 900 Kelvarian children each year">
   <part label="Reed fever" start="0" end="10"/>
   <part label="takes the lives of about 900 Kelvarian children each year" start="41" end="98"/>
  </contributor>
 </peerscu>
 <peerscu uid="21" label="(1) The ministry warned that it might buy an imitation from a competitor">
 </peerscu>
 <peerscu uid="22" label="(1) Two injections are given with six weeks between them">
  <contributor label="Two doses are given to each child at an interval of six weeks">
   <part label="Two doses are given to each child at an interval of six weeks" start="429" end="490"/>
  </contributor>
 </peerscu>
 <peerscu uid="23" label="(1) Schools in the capital were the first places of vaccination">
 </peerscu>
 <peerscu uid="24" label="(1) One third of the cost is borne by the Orlune Foundation">
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="Reed fever is carried by marsh flies">
   <part label="Reed fever is carried by marsh flies" start="0" end="36"/>
  </contributor>
  <contributor label="The health minister, Irena Dolvas, is a former surgeon">
   <part label="The health minister, Irena Dolvas, is a former surgeon" start="100" end="154"/>
  </contributor>
  <contributor label="Farmers protested in May against the price of a vaccine for cattle">
   <part label="Farmers protested in May against the price of a vaccine for cattle" start="222" end="288"/>
  </contributor>
  <contributor label="Some parents complained about long queues at clinics in the capital">
   <part label="Some parents complained about long queues at clinics in the capital" start="492" end="559"/>
  </contributor>
  <contributor label="The ministry plans to hire 200 nurses next year">
   <part label="The ministry plans to hire 200 nurses next year" start="616" end="663"/>
  </contributor>
 </peerscu>
</annotation>
</peerAnnotation>
