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
  <line> S0108.M.100.S.A</line>
  <line>-----------------</line>
  <line></line>
  <line>Hackers of the Pale Heron group locked the servers of the National Archive of Brennovia on May 14.</line>
  <line>The hackers entered with a password stolen from Dextrel, a maintenance contractor.</line>
  <line>Pale Heron demanded a ransom of 4 million florins, which the government refused to pay.</line>
  <line>The attack destroyed 2.3 million scanned documents, since the backup copies were kept on the same network.</line>
  <line>Sales of houses stopped because land deeds could not be checked.</line>
  <line>The director of the archive, Oswin Karrel, resigned on June 2.</line>
  <line>The culture minister, Lenna Vosk, refused to resign.</line>
  <line>The reading rooms reopened on June 5.</line>
  <line>Repairs cost 11 million florins, and the last systems were running again in November.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0108.M.100.S.B</line>
  <line>-----------------</line>
  <line></line>
  <line>A year before intruders froze the computers of the Brennovian state archive in mid-May, auditors had warned that the software was out of date.</line>
  <line>Login details taken from an outside firm, Dextrel, opened the way to the network.</line>
  <line>The cabinet would not give the criminals any money.</line>
  <line>Some 2.3 million digital images vanished, including all parish registers from before 1850, and the backups, connected to the same system, were encrypted as well.</line>
  <line>The paper originals survived in a vault at Hauldéran.</line>
  <line>Students are scanning the originals again and have replaced 1.9 million images.</line>
  <line>In July, police arrested two brothers in the port of Quarn.</line>
  <line>A new law obliges public bodies to keep backup copies offline.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0108.M.100.S.C</line>
  <line>-----------------</line>
  <line></line>
  <line>Oswin Karrel stepped down on June 2 as head of Brennovia's National Archive, admitting that management had ignored an audit report on obsolete software.</line>
  <line>On May 14 a gang called Pale Heron had paralysed the archive's computer network and asked for 4 million florins.</line>
  <line>Brennovia rejected the demand, and Pale Heron put the adoption files of 40,000 people on the internet.</line>
  <line>Readers were shut out for three weeks, and house purchases could not be completed without proof of ownership.</line>
  <line>About 2.3 million scans are gone for good, although the documents on paper are intact.</line>
  <line>Full service resumed in November.</line>
  <line>The recovery cost 11 million florins, nearly three times the sum asked by the gang.</line>
  <line></line>
  <line>-----------------</line>
  <line> S0108.M.100.S.D</line>
  <line>-----------------</line>
  <line></line>
  <line>Two brothers were detained at Quarn in July over the cyberattack that crippled the computers of Brennovia's National Archive in May.</line>
  <line>The attackers, the Pale Heron gang, got in through the account of a Dextrel maintenance worker.</line>
  <line>The gang sought 4 million florins, but Brennovia declined to pay.</line>
  <line>Adoption records of 40,000 people appeared online.</line>
  <line>Karrel gave up the directorship on June 2, while Culture Minister Lenna Vosk rejected demands for her departure.</line>
  <line>Visitors were allowed back into the reading rooms on June 5.</line>
  <line>Because backup and main systems shared one network, 2.3 million scans were lost.</line>
  <line>Students have produced 1.9 million new scans.</line>
  <line>By law, state offices must now store spare data copies offline.</line>
  <line></line>
 </text>
 <scu uid="1" label="In May an attack put the archive's computers out of use">
  <contributor label="Hackers...locked the servers of the National Archive of Brennovia on May 14">
   <part label="Hackers" start="55" end="62"/>
   <part label="locked the servers of the National Archive of Brennovia on May 14" start="87" end="152"/>
  </contributor>
  <contributor label="intruders froze the computers of the Brennovian state archive in mid-May">
   <part label="intruders froze the computers of the Brennovian state archive in mid-May" start="806" end="878"/>
  </contributor>
  <contributor label="a gang called Pale Heron had paralysed the archive's computer network...On May 14">
   <part label="a gang called Pale Heron had paralysed the archive's computer network" start="1706" end="1775"/>
   <part label="On May 14" start="1696" end="1705"/>
  </contributor>
  <contributor label="the cyberattack that crippled the computers of Brennovia's National Archive in May">
   <part label="the cyberattack that crippled the computers of Brennovia's National Archive in May" start="2331" end="2413"/>
  </contributor>
 </scu>
 <scu uid="2" label="The government of Brennovia did not agree to pay the attackers">
  <contributor label="the government refused to pay...a ransom of 4 million florins">
   <part label="the government refused to pay" start="294" end="323"/>
   <part label="a ransom of 4 million florins" start="257" end="286"/>
  </contributor>
  <contributor label="The cabinet would not give the criminals any money">
   <part label="The cabinet would not give the criminals any money" start="1017" end="1067"/>
  </contributor>
  <contributor label="Brennovia rejected the demand">
   <part label="Brennovia rejected the demand" start="1809" end="1838"/>
  </contributor>
  <contributor label="Brennovia declined to pay">
   <part label="Brennovia declined to pay" start="2550" end="2575"/>
  </contributor>
 </scu>
 <scu uid="3" label="The archive lost 2.3 million scans of documents">
  <contributor label="The attack destroyed 2.3 million scanned documents">
   <part label="The attack destroyed 2.3 million scanned documents" start="325" end="375"/>
  </contributor>
  <contributor label="Some 2.3 million digital images vanished">
   <part label="Some 2.3 million digital images vanished" start="1069" end="1109"/>
  </contributor>
  <contributor label="About 2.3 million scans are gone for good">
   <part label="About 2.3 million scans are gone for good" start="2022" end="2063"/>
  </contributor>
  <contributor label="2.3 million scans were lost">
   <part label="2.3 million scans were lost" start="2854" end="2881"/>
  </contributor>
 </scu>
 <scu uid="4" label="The attackers got in with access data of the outside contractor Dextrel">
  <contributor label="The hackers entered with a password stolen from Dextrel, a maintenance contractor">
   <part label="The hackers entered with a password stolen from Dextrel, a maintenance contractor" start="154" end="235"/>
  </contributor>
  <contributor label="Login details taken from an outside firm, Dextrel, opened the way to the network">
   <part label="Login details taken from an outside firm, Dextrel, opened the way to the network" start="935" end="1015"/>
  </contributor>
  <contributor label="The attackers...got in through the account of a Dextrel maintenance worker">
   <part label="The attackers" start="2415" end="2428"/>
   <part label="got in through the account of a Dextrel maintenance worker" start="2451" end="2509"/>
  </contributor>
 </scu>
 <scu uid="5" label="The attackers wanted 4 million florins">
  <contributor label="Pale Heron demanded a ransom of 4 million florins">
   <part label="Pale Heron demanded a ransom of 4 million florins" start="237" end="286"/>
  </contributor>
  <contributor label="a gang called Pale Heron...asked for 4 million florins">
   <part label="a gang called Pale Heron" start="1706" end="1730"/>
   <part label="asked for 4 million florins" start="1780" end="1807"/>
  </contributor>
  <contributor label="The gang sought 4 million florins">
   <part label="The gang sought 4 million florins" start="2511" end="2544"/>
  </contributor>
 </scu>
 <scu uid="6" label="The archive's director, Karrel, left office on June 2">
  <contributor label="The director of the archive, Oswin Karrel, resigned on June 2">
   <part label="The director of the archive, Oswin Karrel, resigned on June 2" start="497" end="558"/>
  </contributor>
  <contributor label="Oswin Karrel stepped down on June 2 as head of Brennovia's National Archive">
   <part label="Oswin Karrel stepped down on June 2 as head of Brennovia's National Archive" start="1543" end="1618"/>
  </contributor>
  <contributor label="Karrel gave up the directorship on June 2">
   <part label="Karrel gave up the directorship on June 2" start="2628" end="2669"/>
  </contributor>
 </scu>
 <scu uid="7" label="The backups were not separated from the network that was attacked">
  <contributor label="the backup copies were kept on the same network">
   <part label="the backup copies were kept on the same network" start="383" end="430"/>
  </contributor>
  <contributor label="the backups, connected to the same system, were encrypted as well">
   <part label="the backups, connected to the same system, were encrypted as well" start="1164" end="1229"/>
  </contributor>
  <contributor label="backup and main systems shared one network">
   <part label="backup and main systems shared one network" start="2810" end="2852"/>
  </contributor>
 </scu>
 <scu uid="8" label="A group named Pale Heron carried out the attack">
  <contributor label="Hackers of the Pale Heron group locked the servers">
   <part label="Hackers of the Pale Heron group locked the servers" start="55" end="105"/>
  </contributor>
  <contributor label="a gang called Pale Heron had paralysed the archive's computer network">
   <part label="a gang called Pale Heron had paralysed the archive's computer network" start="1706" end="1775"/>
  </contributor>
  <contributor label="The attackers, the Pale Heron gang, got in">
   <part label="The attackers, the Pale Heron gang, got in" start="2415" end="2457"/>
  </contributor>
 </scu>
 <scu uid="9" label="Culture Minister Vosk declined to leave her post">
  <contributor label="The culture minister, Lenna Vosk, refused to resign">
   <part label="The culture minister, Lenna Vosk, refused to resign" start="560" end="611"/>
  </contributor>
  <contributor label="Culture Minister Lenna Vosk rejected demands for her departure">
   <part label="Culture Minister Lenna Vosk rejected demands for her departure" start="2677" end="2739"/>
  </contributor>
 </scu>
 <scu uid="10" label="The public could use the reading rooms again from June 5">
  <contributor label="The reading rooms reopened on June 5">
   <part label="The reading rooms reopened on June 5" start="613" end="649"/>
  </contributor>
  <contributor label="Visitors were allowed back into the reading rooms on June 5">
   <part label="Visitors were allowed back into the reading rooms on June 5" start="2741" end="2800"/>
  </contributor>
 </scu>
 <scu uid="11" label="Missing ownership records brought the trade in houses to a stop">
  <contributor label="Sales of houses stopped because land deeds could not be checked">
   <part label="Sales of houses stopped because land deeds could not be checked" start="432" end="495"/>
  </contributor>
  <contributor label="house purchases could not be completed without proof of ownership">
   <part label="house purchases could not be completed without proof of ownership" start="1955" end="2020"/>
  </contributor>
 </scu>
 <scu uid="12" label="Restoring the systems cost 11 million florins">
  <contributor label="Repairs cost 11 million florins">
   <part label="Repairs cost 11 million florins" start="651" end="682"/>
  </contributor>
  <contributor label="The recovery cost 11 million florins">
   <part label="The recovery cost 11 million florins" start="2143" end="2179"/>
  </contributor>
 </scu>
 <scu uid="13" label="All services were working again in November">
  <contributor label="the last systems were running again in November">
   <part label="the last systems were running again in November" start="688" end="735"/>
  </contributor>
  <contributor label="Full service resumed in November">
   <part label="Full service resumed in November" start="2109" end="2141"/>
  </contributor>
 </scu>
 <scu uid="14" label="An audit had found that the archive used outdated software">
  <contributor label="auditors had warned that the software was out of date...A year before">
   <part label="auditors had warned that the software was out of date" start="880" end="933"/>
   <part label="A year before" start="792" end="805"/>
  </contributor>
  <contributor label="an audit report on obsolete software">
   <part label="an audit report on obsolete software" start="1658" end="1694"/>
  </contributor>
 </scu>
 <scu uid="15" label="The original documents on paper were not harmed">
  <contributor label="The paper originals survived">
   <part label="The paper originals survived" start="1231" end="1259"/>
  </contributor>
  <contributor label="the documents on paper are intact">
   <part label="the documents on paper are intact" start="2074" end="2107"/>
  </contributor>
 </scu>
 <scu uid="16" label="Some 1.9 million documents have been scanned anew by students">
  <contributor label="Students...have replaced 1.9 million images">
   <part label="Students" start="1285" end="1293"/>
   <part label="have replaced 1.9 million images" start="1331" end="1363"/>
  </contributor>
  <contributor label="Students have produced 1.9 million new scans">
   <part label="Students have produced 1.9 million new scans" start="2883" end="2927"/>
  </contributor>
 </scu>
 <scu uid="17" label="The police took two brothers into custody in Quarn in July">
  <contributor label="In July, police arrested two brothers in the port of Quarn">
   <part label="In July, police arrested two brothers in the port of Quarn" start="1365" end="1423"/>
  </contributor>
  <contributor label="Two brothers were detained at Quarn in July over the cyberattack">
   <part label="Two brothers were detained at Quarn in July over the cyberattack" start="2282" end="2346"/>
  </contributor>
 </scu>
 <scu uid="18" label="Legislation now requires public institutions to hold offline backups">
  <contributor label="A new law obliges public bodies to keep backup copies offline">
   <part label="A new law obliges public bodies to keep backup copies offline" start="1425" end="1486"/>
  </contributor>
  <contributor label="By law, state offices must now store spare data copies offline">
   <part label="By law, state offices must now store spare data copies offline" start="2929" end="2991"/>
  </contributor>
 </scu>
 <scu uid="19" label="Adoption files of 40,000 people were published on the internet">
  <contributor label="Pale Heron put the adoption files of 40,000 people on the internet">
   <part label="Pale Heron put the adoption files of 40,000 people on the internet" start="1844" end="1910"/>
  </contributor>
  <contributor label="Adoption records of 40,000 people appeared online">
   <part label="Adoption records of 40,000 people appeared online" start="2577" end="2626"/>
  </contributor>
 </scu>
 <scu uid="20" label="Every parish register older than 1850 was among the lost scans">
  <contributor label="Some 2.3 million digital images vanished, including all parish registers from before 1850">
   <part label="Some 2.3 million digital images vanished, including all parish registers from before 1850" start="1069" end="1158"/>
  </contributor>
 </scu>
 <scu uid="21" label="The archive's managers had paid no attention to the audit">
  <contributor label="management had ignored an audit report">
   <part label="management had ignored an audit report" start="1635" end="1673"/>
  </contributor>
 </scu>
 <scu uid="22" label="The archive was closed to readers for three weeks">
  <contributor label="Readers were shut out for three weeks">
   <part label="Readers were shut out for three weeks" start="1912" end="1949"/>
  </contributor>
 </scu>
 <scu uid="23" label="The paper documents were stored in a Hauldéran vault">
  <contributor label="The paper originals survived in a vault at Hauldéran">
   <part label="The paper originals survived in a vault at Hauldéran" start="1231" end="1283"/>
  </contributor>
 </scu>
 <scu uid="24" label="The recovery was almost three times as expensive as the ransom demanded">
  <contributor label="The recovery cost 11 million florins, nearly three times the sum asked by the gang">
   <part label="The recovery cost 11 million florins, nearly three times the sum asked by the gang" start="2143" end="2225"/>
  </contributor>
 </scu>
</pyramid>
<annotation>
 <text>
  <line>The National Archive of Brennovia was founded 160 years ago and employs 340 people.</line>
  <line>Computers at the archive were put out of action by intruders in May.</line>
  <line>Pale Heron had demanded 3 million florins from a hospital in April.</line>
  <line>Culture Minister Lenna Vosk said that she would not step down.</line>
  <line>The minister also refused to say when a new director would be chosen.</line>
  <line>Historians complained that research had come to a halt.</line>
  <line>The adoption papers of 40,000 people were made public on the internet.</line>
  <line>The reading rooms opened their doors again on June 5.</line>
  <line>From June 5, visitors could once more use the reading rooms.</line>
  <line>The archive will move to a new building in 2031.</line>
 </text>
 <peerscu uid="1" label="(4) In May an attack put the archive's computers out of use">
  <contributor label="Computers at the archive were put out of action by intruders in May">
   <part label="Computers at the archive were put out of action by intruders in May" start="84" end="151"/>
  </contributor>
 </peerscu>
 <peerscu uid="2" label="(4) The government of Brennovia did not agree to pay the attackers">
 </peerscu>
 <peerscu uid="3" label="(4) The archive lost 2.3 million scans of documents">
 </peerscu>
 <peerscu uid="4" label="(3) The attackers got in with access data of the outside contractor Dextrel">
 </peerscu>
 <peerscu uid="5" label="(3) The attackers wanted 4 million florins">
 </peerscu>
 <peerscu uid="6" label="(3) The archive's director, Karrel, left office on June 2">
 </peerscu>
 <peerscu uid="7" label="(3) The backups were not separated from the network that was attacked">
 </peerscu>
 <peerscu uid="8" label="(3) A group named Pale Heron carried out the attack">
 </peerscu>
 <peerscu uid="9" label="(2) Culture Minister Vosk declined to leave her post">
  <contributor label="Culture Minister Lenna Vosk said that she would not step down">
   <part label="Culture Minister Lenna Vosk said that she would not step down" start="221" end="282"/>
  </contributor>
 </peerscu>
 <peerscu uid="10" label="(2) The public could use the reading rooms again from June 5">
  <contributor label="The reading rooms opened their doors again on June 5">
   <part label="The reading rooms opened their doors again on June 5" start="481" end="533"/>
  </contributor>
  <contributor label="From June 5, visitors could once more use the reading rooms">
   <part label="From June 5, visitors could once more use the reading rooms" start="535" end="594"/>
  </contributor>
 </peerscu>
 <peerscu uid="11" label="(2) Missing ownership records brought the trade in houses to a stop">
 </peerscu>
 <peerscu uid="12" label="(2) Restoring the systems cost 11 million florins">
 </peerscu>
 <peerscu uid="13" label="(2) All services were working again in November">
 </peerscu>
 <peerscu uid="14" label="(2) An audit had found that the archive used outdated software">
 </peerscu>
 <peerscu uid="15" label="(2) The original documents on paper were not harmed">
 </peerscu>
 <peerscu uid="16" label="(2) Some 1.9 million documents have been scanned anew by students">
 </peerscu>
 <peerscu uid="17" label="(2) The police took two brothers into custody in Quarn in July">
 </peerscu>
 <peerscu uid="18" label="(2) Legislation now requires public institutions to hold offline backups">
 </peerscu>
 <peerscu uid="19" label="(2) Adoption files of 40,000 people were published on the internet">
  <contributor label="The adoption papers of 40,000 people were made public on the internet">
   <part label="The adoption papers of 40,000 people were made public on the internet" start="410" end="479"/>
  </contributor>
 </peerscu>
 <peerscu uid="20" label="(1) Every parish register older than 1850 was among the lost scans">
 </peerscu>
 <peerscu uid="21" label="(1) The archive's managers had paid no attention to the audit">
 </peerscu>
 <peerscu uid="22" label="(1) The archive was closed to readers for three weeks">
 </peerscu>
 <peerscu uid="23" label="(1) The paper documents were stored in a Hauldéran vault">
 </peerscu>
 <peerscu uid="24" label="(1) The recovery was almost three times as expensive as the ransom demanded">
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="The National Archive of Brennovia was founded 160 years ago">
   <part label="The National Archive of Brennovia was founded 160 years ago" start="0" end="59"/>
  </contributor>
  <contributor label="The National Archive of Brennovia...employs 340 people">
   <part label="The National Archive of Brennovia" start="0" end="33"/>
   <part label="employs 340 people" start="64" end="82"/>
  </contributor>
  <contributor label="Pale Heron had demanded 3 million florins from a hospital in April">
   <part label="Pale Heron had demanded 3 million florins from a hospital in April" start="153" end="219"/>
  </contributor>
  <contributor label="The minister also refused to say when a new director would be chosen">
   <part label="The minister also refused to say when a new director would be chosen" start="284" end="352"/>
  </contributor>
  <contributor label="Historians complained that research had come to a halt">
   <part label="Historians complained that research had come to a halt" start="354" end="408"/>
  </contributor>
  <contributor label="The archive will move to a new building in 2031">
   <part label="The archive will move to a new building in 2031" start="596" end="643"/>
  </contributor>
 </peerscu>
</annotation>
</peerAnnotation>
