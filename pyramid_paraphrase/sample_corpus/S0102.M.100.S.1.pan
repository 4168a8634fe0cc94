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
  <line> S0102.M.100.S.A</line>
  <line>-----------------</line>
  <line></line>
  <line>A fungus named black collar, first seen in April in the Ébrun valley, has attacked wheat across Talvora.</line>
  <line>By July nine of the 14 provinces were affected.</line>
  <line>The disease destroyed 40 percent of the harvest and cost farmers 3 billion talers.</line>
  <line>The Hollin Institute has bred a resistant wheat, Amber 12, but seed will not be on sale for two years.</line>
  <line>Talvora banned exports of wheat.</line>
  <line>The price of bread rose by 30 percent, and the price of flour doubled.</line>
  <line>The government will pay growers 200 talers per lost hectare.</line>
  <line>Mills have laid off 1,200 workers.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0102.M.100.S.B</line>
  <line>-----------------</line>
  <line></line>
  <line>Talvora's wheat is being ravaged by black collar, a mould that thrived in this year's warm, wet spring.</line>
  <line>Growers in the Ébrun valley were the first to notice the illness, which rented tractors then carried from farm to farm.</line>
  <line>Two-fifths of the crop was lost, a blow to agriculture of 3 billion talers.</line>
  <line>Fungicides had no effect, so infected fields were burned.</line>
  <line>Breeders at the Hollin Institute developed Amber 12, a strain that withstands black collar; farmers must wait two years for it.</line>
  <line>Sales of wheat abroad were outlawed by the government, and neighbouring Sudreth banned imports of Talvoran wheat.</line>
  <line>Flour costs twice as much as before.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0102.M.100.S.C</line>
  <line>-----------------</line>
  <line></line>
  <line>In April, a farmer in the Ébrun valley discovered black collar, a fungal infection now killing Talvoran wheat.</line>
  <line>Hired tractors took the spores to new fields, and cases had been reported in nine provinces by July.</line>
  <line>In all, four tonnes of wheat in every ten were ruined.</line>
  <line>Soldiers set fire to diseased fields.</line>
  <line>Drawing on a gene from a wild mountain grass, the Hollin Institute created Amber 12, which is immune to the disease.</line>
  <line>Merchants may no longer ship wheat out of Talvora, and Sudreth has shut its border to the country's wheat.</line>
  <line>Bread became 30 percent dearer, and 5,000 people marched in protest in the capital, Castelor.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0102.M.100.S.D</line>
  <line>-----------------</line>
  <line></line>
  <line>Favoured by a warm and rainy spring, the fungal disease black collar swept through the wheat fields of Talvora and had a foothold in nine provinces by July.</line>
  <line>Harvest losses reached 40 percent, and the state is offering 200 talers in aid for each hectare lost.</line>
  <line>A gene borrowed from wild grass protects Amber 12, a disease-proof variety bred at the Hollin Institute.</line>
  <line>The new variety yields a tenth less than ordinary wheat and is two years away from the market.</line>
  <line>Talvora has imposed an embargo on wheat exports, and Sudreth no longer lets Talvoran wheat in.</line>
  <line>Sudreth lifted its ban on imports of Talvoran barley in September.</line>
  <line>Loaves sell for 30 percent more.</line>
  <line></line>
 </text>
 <scu uid="1" label="A fungal disease has struck the wheat of Talvora">
  <contributor label="A fungus named black collar...has attacked wheat across Talvora">
   <part label="A fungus named black collar" start="55" end="82"/>
   <part label="has attacked wheat across Talvora" start="125" end="158"/>
  </contributor>
  <contributor label="Talvora's wheat is being ravaged by black collar, a mould">
   <part label="Talvora's wheat is being ravaged by black collar, a mould" start="649" end="706"/>
  </contributor>
  <contributor label="black collar, a fungal infection now killing Talvoran wheat">
   <part label="black collar, a fungal infection now killing Talvoran wheat" start="1391" end="1450"/>
  </contributor>
  <contributor label="the fungal disease black collar swept through the wheat fields of Talvora">
   <part label="the fungal disease black collar swept through the wheat fields of Talvora" start="2056" end="2129"/>
  </contributor>
 </scu>
 <scu uid="2" label="The disease was first detected in the valley of Ébrun">
  <contributor label="A fungus named black collar, first seen...in the Ébrun valley">
   <part label="A fungus named black collar, first seen" start="55" end="94"/>
   <part label="in the Ébrun valley" start="104" end="123"/>
  </contributor>
  <contributor label="Growers in the Ébrun valley were the first to notice the illness">
   <part label="Growers in the Ébrun valley were the first to notice the illness" start="753" end="817"/>
  </contributor>
  <contributor label="a farmer in the Ébrun valley discovered black collar">
   <part label="a farmer in the Ébrun valley discovered black collar" start="1351" end="1403"/>
  </contributor>
 </scu>
 <scu uid="3" label="The disease was first detected in April">
  <contributor label="A fungus named black collar, first seen in April">
   <part label="A fungus named black collar, first seen in April" start="55" end="103"/>
  </contributor>
  <contributor label="a farmer...discovered black collar...In April">
   <part label="a farmer" start="1351" end="1359"/>
   <part label="discovered black collar" start="1380" end="1403"/>
   <part label="In April" start="1341" end="1349"/>
  </contributor>
 </scu>
 <scu uid="4" label="The disease was present in nine provinces by July">
  <contributor label="By July nine of the 14 provinces were affected">
   <part label="By July nine of the 14 provinces were affected" start="160" end="206"/>
  </contributor>
  <contributor label="cases had been reported in nine provinces by July">
   <part label="cases had been reported in nine provinces by July" start="1502" end="1551"/>
  </contributor>
  <contributor label="the fungal disease black collar...had a foothold in nine provinces by July">
   <part label="the fungal disease black collar" start="2056" end="2087"/>
   <part label="had a foothold in nine provinces by July" start="2134" end="2174"/>
  </contributor>
 </scu>
 <scu uid="5" label="Warm and wet spring weather helped the disease">
  <contributor label="black collar, a mould that thrived in this year's warm, wet spring">
   <part label="black collar, a mould that thrived in this year's warm, wet spring" start="685" end="751"/>
  </contributor>
  <contributor label="Favoured by a warm and rainy spring, the fungal disease black collar">
   <part label="Favoured by a warm and rainy spring, the fungal disease black collar" start="2019" end="2087"/>
  </contributor>
 </scu>
 <scu uid="6" label="Hired tractors spread the disease between farms">
  <contributor label="the illness, which rented tractors then carried from farm to farm">
   <part label="the illness, which rented tractors then carried from farm to farm" start="806" end="871"/>
  </contributor>
  <contributor label="Hired tractors took the spores to new fields">
   <part label="Hired tractors took the spores to new fields" start="1452" end="1496"/>
  </contributor>
 </scu>
 <scu uid="7" label="Forty percent of the wheat harvest was lost">
  <contributor label="The disease destroyed 40 percent of the harvest">
   <part label="The disease destroyed 40 percent of the harvest" start="208" end="255"/>
  </contributor>
  <contributor label="Two-fifths of the crop was lost">
   <part label="Two-fifths of the crop was lost" start="873" end="904"/>
  </contributor>
  <contributor label="In all, four tonnes of wheat in every ten were ruined">
   <part label="In all, four tonnes of wheat in every ten were ruined" start="1553" end="1606"/>
  </contributor>
  <contributor label="Harvest losses reached 40 percent">
   <part label="Harvest losses reached 40 percent" start="2176" end="2209"/>
  </contributor>
 </scu>
 <scu uid="8" label="The losses to farming came to 3 billion talers">
  <contributor label="The disease...cost farmers 3 billion talers">
   <part label="The disease" start="208" end="219"/>
   <part label="cost farmers 3 billion talers" start="260" end="289"/>
  </contributor>
  <contributor label="a blow to agriculture of 3 billion talers">
   <part label="a blow to agriculture of 3 billion talers" start="906" end="947"/>
  </contributor>
 </scu>
 <scu uid="9" label="Fields hit by the disease were burned">
  <contributor label="infected fields were burned">
   <part label="infected fields were burned" start="978" end="1005"/>
  </contributor>
  <contributor label="Soldiers set fire to diseased fields">
   <part label="Soldiers set fire to diseased fields" start="1608" end="1644"/>
  </contributor>
 </scu>
 <scu uid="10" label="Chemical treatment against the fungus did not work">
  <contributor label="Fungicides had no effect">
   <part label="Fungicides had no effect" start="949" end="973"/>
  </contributor>
 </scu>
 <scu uid="11" label="The Hollin Institute produced a disease-resistant wheat called Amber 12">
  <contributor label="The Hollin Institute has bred a resistant wheat, Amber 12">
   <part label="The Hollin Institute has bred a resistant wheat, Amber 12" start="291" end="348"/>
  </contributor>
  <contributor label="Breeders at the Hollin Institute developed Amber 12, a strain that withstands black collar">
   <part label="Breeders at the Hollin Institute developed Amber 12, a strain that withstands black collar" start="1007" end="1097"/>
  </contributor>
  <contributor label="the Hollin Institute created Amber 12, which is immune to the disease">
   <part label="the Hollin Institute created Amber 12, which is immune to the disease" start="1692" end="1761"/>
  </contributor>
  <contributor label="Amber 12, a disease-proof variety bred at the Hollin Institute">
   <part label="Amber 12, a disease-proof variety bred at the Hollin Institute" start="2319" end="2381"/>
  </contributor>
 </scu>
 <scu uid="12" label="Farmers will not be able to obtain Amber 12 for two years">
  <contributor label="Amber 12, but seed will not be on sale for two years">
   <part label="Amber 12, but seed will not be on sale for two years" start="340" end="392"/>
  </contributor>
  <contributor label="Amber 12...farmers must wait two years for it">
   <part label="Amber 12" start="1050" end="1058"/>
   <part label="farmers must wait two years for it" start="1099" end="1133"/>
  </contributor>
  <contributor label="The new variety...is two years away from the market">
   <part label="The new variety" start="2383" end="2398"/>
   <part label="is two years away from the market" start="2443" end="2476"/>
  </contributor>
 </scu>
 <scu uid="13" label="The resistance of Amber 12 comes from a gene of a wild grass">
  <contributor label="the Hollin Institute created Amber 12, which is immune to the disease...Drawing on a gene from a wild mountain grass">
   <part label="the Hollin Institute created Amber 12, which is immune to the disease" start="1692" end="1761"/>
   <part label="Drawing on a gene from a wild mountain grass" start="1646" end="1690"/>
  </contributor>
  <contributor label="A gene borrowed from wild grass protects Amber 12">
   <part label="A gene borrowed from wild grass protects Amber 12" start="2278" end="2327"/>
  </contributor>
 </scu>
 <scu uid="14" label="Amber 12 gives a tenth less grain than ordinary wheat">
  <contributor label="The new variety yields a tenth less than ordinary wheat">
   <part label="The new variety yields a tenth less than ordinary wheat" start="2383" end="2438"/>
  </contributor>
 </scu>
 <scu uid="15" label="Talvora prohibited the export of its wheat">
  <contributor label="Talvora banned exports of wheat">
   <part label="Talvora banned exports of wheat" start="394" end="425"/>
  </contributor>
  <contributor label="Sales of wheat abroad were outlawed by the government">
   <part label="Sales of wheat abroad were outlawed by the government" start="1135" end="1188"/>
  </contributor>
  <contributor label="Merchants may no longer ship wheat out of Talvora">
   <part label="Merchants may no longer ship wheat out of Talvora" start="1763" end="1812"/>
  </contributor>
  <contributor label="Talvora has imposed an embargo on wheat exports">
   <part label="Talvora has imposed an embargo on wheat exports" start="2478" end="2525"/>
  </contributor>
 </scu>
 <scu uid="16" label="Sudreth stopped the import of wheat from Talvora">
  <contributor label="neighbouring Sudreth banned imports of Talvoran wheat">
   <part label="neighbouring Sudreth banned imports of Talvoran wheat" start="1194" end="1247"/>
  </contributor>
  <contributor label="Sudreth has shut its border to the country's wheat">
   <part label="Sudreth has shut its border to the country's wheat" start="1818" end="1868"/>
  </contributor>
  <contributor label="Sudreth no longer lets Talvoran wheat in">
   <part label="Sudreth no longer lets Talvoran wheat in" start="2531" end="2571"/>
  </contributor>
 </scu>
 <scu uid="17" label="Sudreth ended its import ban on barley from Talvora in September">
  <contributor label="Sudreth lifted its ban on imports of Talvoran barley in September">
   <part label="Sudreth lifted its ban on imports of Talvoran barley in September" start="2573" end="2638"/>
  </contributor>
 </scu>
 <scu uid="18" label="The price of bread went up 30 percent in Talvora">
  <contributor label="The price of bread rose by 30 percent">
   <part label="The price of bread rose by 30 percent" start="427" end="464"/>
  </contributor>
  <contributor label="Bread became 30 percent dearer">
   <part label="Bread became 30 percent dearer" start="1870" end="1900"/>
  </contributor>
  <contributor label="Loaves sell for 30 percent more">
   <part label="Loaves sell for 30 percent more" start="2640" end="2671"/>
  </contributor>
 </scu>
 <scu uid="19" label="Flour became twice as expensive in Talvora">
  <contributor label="the price of flour doubled">
   <part label="the price of flour doubled" start="470" end="496"/>
  </contributor>
  <contributor label="Flour costs twice as much as before">
   <part label="Flour costs twice as much as before" start="1249" end="1284"/>
  </contributor>
 </scu>
 <scu uid="20" label="The state compensates farmers with 200 talers per lost hectare">
  <contributor label="The government will pay growers 200 talers per lost hectare">
   <part label="The government will pay growers 200 talers per lost hectare" start="498" end="557"/>
  </contributor>
  <contributor label="the state is offering 200 talers in aid for each hectare lost">
   <part label="the state is offering 200 talers in aid for each hectare lost" start="2215" end="2276"/>
  </contributor>
 </scu>
 <scu uid="21" label="The mills of Talvora dismissed 1,200 employees">
  <contributor label="Mills have laid off 1,200 workers">
   <part label="Mills have laid off 1,200 workers" start="559" end="592"/>
  </contributor>
 </scu>
 <scu uid="22" label="A protest march in Castelor drew 5,000 people">
  <contributor label="5,000 people marched in protest in the capital, Castelor">
   <part label="5,000 people marched in protest in the capital, Castelor" start="1906" end="1962"/>
  </contributor>
 </scu>
</pyramid>
<annotation>
 <text>
  <line>The fungal disease black collar has infected wheat throughout Talvora.</line>
  <line>The disease was first found in the Ébrun valley in April.</line>
  <line>By July the disease had spread to nine provinces.</line>
  <line>About 40 percent of the wheat harvest was destroyed.</line>
  <line>Researchers at the Hollin Institute bred a resistant variety called Amber 12.</line>
  <line>Seed of Amber 12 will be available to farmers in two years.</line>
  <line>Talvora banned wheat exports, and Sudreth banned wheat imports from Talvora.</line>
  <line>The price of bread went up by 30 percent.</line>
  <line>The Hollin Institute was founded 80 years ago and employs 140 scientists.</line>
 </text>
 <peerscu uid="1" label="(4) A fungal disease has struck the wheat of Talvora">
  <contributor label="The fungal disease black collar has infected wheat throughout Talvora">
   <part label="The fungal disease black collar has infected wheat throughout Talvora" start="0" end="69"/>
  </contributor>
 </peerscu>
 <peerscu uid="7" label="(4) Forty percent of the wheat harvest was lost">
  <contributor label="About 40 percent of the wheat harvest was destroyed">
   <part label="About 40 percent of the wheat harvest was destroyed" start="179" end="230"/>
  </contributor>
 </peerscu>
 <peerscu uid="11" label="(4) The Hollin Institute produced a disease-resistant wheat called Amber 12">
  <contributor label="Researchers at the Hollin Institute bred a resistant variety called Amber 12">
   <part label="Researchers at the Hollin Institute bred a resistant variety called Amber 12" start="232" end="308"/>
  </contributor>
 </peerscu>
 <peerscu uid="15" label="(4) Talvora prohibited the export of its wheat">
  <contributor label="Talvora banned wheat exports">
   <part label="Talvora banned wheat exports" start="370" end="398"/>
  </contributor>
 </peerscu>
 <peerscu uid="2" label="(3) The disease was first detected in the valley of Ébrun">
  <contributor label="The disease was first found in the Ébrun valley">
   <part label="The disease was first found in the Ébrun valley" start="71" end="118"/>
  </contributor>
 </peerscu>
 <peerscu uid="4" label="(3) The disease was present in nine provinces by July">
  <contributor label="By July the disease had spread to nine provinces">
   <part label="By July the disease had spread to nine provinces" start="129" end="177"/>
  </contributor>
 </peerscu>
 <peerscu uid="12" label="(3) Farmers will not be able to obtain Amber 12 for two years">
  <contributor label="Seed of Amber 12 will be available to farmers in two years">
   <part label="Seed of Amber 12 will be available to farmers in two years" start="310" end="368"/>
  </contributor>
 </peerscu>
 <peerscu uid="16" label="(3) Sudreth stopped the import of wheat from Talvora">
  <contributor label="Sudreth banned wheat imports from Talvora">
   <part label="Sudreth banned wheat imports from Talvora" start="404" end="445"/>
  </contributor>
 </peerscu>
 <peerscu uid="18" label="(3) The price of bread went up 30 percent in Talvora">
  <contributor label="The price of bread went up by 30 percent">
   <part label="The price of bread went up by 30 percent" start="447" end="487"/>
  </contributor>
 </peerscu>
 <peerscu uid="3" label="(2) The disease was first detected in April">
  <contributor label="The disease was first found...in April">
   <part label="The disease was first found" start="71" end="98"/>
   <part label="in April" start="119" end="127"/>
  </contributor>
 </peerscu>
 <peerscu uid="5" label="(2) Warm and wet spring weather helped the disease">
 </peerscu>
 <peerscu uid="6" label="(2) Hired tractors spread the disease between farms">
 </peerscu>
 <peerscu uid="8" label="(2) The losses to farming came to 3 billion talers">
 </peerscu>
 <peerscu uid="9" label="(2) Fields hit by the disease were burned">
 </peerscu>
 <peerscu uid="13" label="(2) The resistance of Amber 12 comes from a gene of a wild grass">
 </peerscu>
 <peerscu uid="19" label="(2) Flour became twice as expensive in Talvora">
 </peerscu>
 <peerscu uid="20" label="(2) The state compensates farmers with 200 talers per lost hectare">
 </peerscu>
 <peerscu uid="10" label="(1) Chemical treatment against the fungus did not work">
 </peerscu>
 <peerscu uid="14" label="(1) Amber 12 gives a tenth less grain than ordinary wheat">
 </peerscu>
 <peerscu uid="17" label="(1) Sudreth ended its import ban on barley from Talvora in September">
 </peerscu>
 <peerscu uid="21" label="(1) The mills of Talvora dismissed 1,200 employees">
 </peerscu>
 <peerscu uid="22" label="(1) A protest march in Castelor drew 5,000 people">
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="The Hollin Institute was founded 80 years ago">
   <part label="The Hollin Institute was founded 80 years ago" start="489" end="534"/>
  </contributor>
  <contributor label="The Hollin Institute...employs 140 scientists">
   <part label="The Hollin Institute" start="489" end="509"/>
   <part label="employs 140 scientists" start="539" end="561"/>
  </contributor>
 </peerscu>
</annotation>
</peerAnnotation>
