"""Records METEOR 1.5's values on inputs of our own, for meteor, internal/stem and
internal/wordnet. It needs Java 11 or newer, to run the program.

    MTEVAL_METEOR=$(scripts/meteor.sh DIR) python3 scripts/record_meteor.py

writes meteor/testdata/recorded.json, internal/stem/testdata/*.tsv and
internal/wordnet/testdata/english.tsv. The jar and its table are pinned by scripts/meteor.sh.
"""
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
if "MTEVAL_METEOR" not in os.environ:
    sys.exit("MTEVAL_METEOR is not set: scripts/meteor.sh prints the folder of the jar")
METEOR = pathlib.Path(os.environ["MTEVAL_METEOR"])
JAVA = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-Duser.language=en"]
rng = random.Random(20261128)

# --- texts -----------------------------------------------------------------
# (hypothesis, reference), written for this project.
TEXTS = {
    "en": [
        ("The bridge was closed on Monday because of ice.", "Because of ice the bridge was shut on Monday."),
        ("A small boat crossed the lake.", "The lake was crossed by a little ship."),
        ("They don't know where the children's shoes are.", "They do not know where the shoes of the children are."),
        ("Mr. Grey arrived at 5 p.m. with Dr. Brown.", "Dr. Brown and Mr. Grey came at 5 p.m."),
        ("The committee's well-known plan costs $1,250.75 -- or more...", "The well known plan of the committee will cost 1,250.75 dollars or more ."),
        ("running runners ran", "a runner runs and keeps running"),
        ("“Stop!” she cried, 'stop now'.", "\"Halt!\" she shouted, \"halt at once\"."),
        ("the mice ate the cheese that the cats wanted", "a mouse has eaten the cheese the cat wanted"),
        ("to be sure, to be safe, to be seen", "to be safe, to be seen, to be sure"),
        ("one two three four five six seven eight", "five six seven eight one two three four"),
        ("cats the cats", "the cat"),
        ("a cats b", "x cat y"),
        ("a a b", "x x b b"),
        ("k l m n", "k l k l"),
        ("misused variants", "horsemints gelato"),
        ("Aa BB", "BB Aa"),
        ("the the the", "the the the"),
        ("", "an empty hypothesis"),
        ("an empty reference", ""),
        ("nothing shared here", "completely different words"),
        ("house", "house"),
        ("House", "house"),
        ("The boss dismissed ten workers at the same time.", "Ten employees were fired simultaneously by the chief."),
        ("in order to win", "so as to win"),
        ("He purchased an automobile in the U.S. last Feb. and sold it in Jan.", "He bought a car in the US last February and sold it in January."),
        ("naïve Übergrößen in İzmir, ΑΣ", "naive übergrößen in izmir, ας"),
        ("a,b,c 1,2 x,1 1,x ,, 'tis the '90s rock 'n' roll 80's", "a , b , c 1,2 x 1 'tis the 90s rock and roll 80s"),
        ("state-of-the-art (2nd) [draft] a/b e–mail—now", "state of the art 2nd draft a b e mail now"),
        ("日本 is 😀 far away", "日本 is very far 😀 away"),
        ("he is able to go as well as she", "he can go , and so can she"),
    ],
    "de": [
        ("Die Brücke wurde am Montag wegen Eis gesperrt.", "Wegen Eises war die Brücke am Montag gesperrt."),
        ("Er hat z. B. drei Häuser verkauft.", "Er verkaufte zum Beispiel drei seiner Häuser."),
        ("Die Ergebnisse sind gut.", "Das Ergebnis ist gut."),
        ("Dr. Weiß kam um 17 Uhr nach Hause, am 3. Mai.", "Am 3. Mai kam Dr. Weiß um 17 Uhr heim."),
        ("Das Kind spielte im Garten", "die Kinder spielten in den Gärten"),
    ],
    "fr": [
        ("L'enfant n'a pas mangé aujourd'hui.", "Aujourd'hui, l'enfant n'a rien mangé."),
        ("Les grandes maisons sont chères.", "La grande maison est chère."),
        ("M. Dubois est arrivé hier.", "Hier est arrivé M. Dubois."),
        ("Où est-elle allée ?", "Elle est allée où ?"),
    ],
    "es": [
        ("¿Dónde están los niños?", "¿Dónde está el niño?"),
        ("La casa grande costó 1.500 euros.", "Las casas grandes costaron 1.500 euros."),
        ("El Sr. García habla despacio.", "El señor García hablaba muy despacio."),
    ],
    "ru": [
        ("Большой дом стоит у реки.", "У реки стоят большие дома."),
        ("Дети играли в саду.", "Ребёнок играл в садах."),
        ("Он не знает, что делать.", "Он не знал, что ему делать."),
    ],
    "cz": [
        ("Velký dům stojí u řeky.", "U řeky stojí velké domy."),
        ("Děti si hrály na zahradě.", "Dítě si hrálo na zahradě."),
    ],
    "pt": [("as execuções foram longas", "a execução foi longa"), ("os gatos dormem", "o gato dorme")],
    "fi": [("talossa on aarteiden huone", "huoneeseen vietiin aarteita taloissa"), ("koirat juoksevat", "koira juoksee")],
    "other": [("Alpha beta Gamma delta", "alpha Gamma beta delta"), ("x y", "y x")],
}
VOCABULARY = ("cat cats dog dogs hound run running runs car automobile cars the a of is walk walked walking big large huge "
              "in order to because due with respect regard at the same time mouse mice").split()


def random_pairs(n, words):
    """Pairs with few different words, so that there are many alignments."""
    out = []
    for _ in range(n):
        some = rng.sample(words, rng.choice((2, 4, 8, len(words))))
        ref = [rng.choice(some) for _ in range(rng.choice((3, 8, 20, 70)))]
        hyp = [w if rng.random() < .8 else rng.choice(some) for w in ref if rng.random() < .9] or some[:1]
        if rng.random() < .5:
            k = rng.randrange(len(hyp))
            hyp = hyp[k:] + hyp[:k]
        out.append((" ".join(hyp), " ".join(ref)))
    return out


PARAPHRASES = [
    ("in order to", "so as to"), ("because of", "due to"), ("at the same time", "simultaneously"), ("as well as", "and"),
    ("is able to", "can"), ("can", "is able to"), ("at the same time", "at once"), ("with respect", "with regard"),
    ("the same", "the same"), ("in order", "due"), ("order to", "to"), ("closed on", "shut on"),
]

# --- runs --------------------------------------------------------------------
# name, texts, arguments, whether our own function words are given with -s
RUNS = [
    ("default lists, raw", "en", ["-l", "en", "-m", "exact stem synonym"], True),
    ("default lists, lower case", "en", ["-l", "en", "-lower", "-m", "exact stem synonym"], True),
    ("default lists, random words", "random", ["-l", "en", "-m", "exact stem synonym"], True),
    ("default lists, paraphrases", "random", ["-l", "en", "-a", "PARAPHRASES"], True),
    ("default lists, de", "de", ["-l", "de", "-m", "exact stem"], True),
    ("default lists, fr", "fr", ["-l", "fr", "-m", "exact stem"], True),
    ("default lists, es", "es", ["-l", "es", "-m", "exact stem"], True),
    ("default lists, ru", "ru", ["-l", "ru", "-m", "exact stem"], True),
    ("default lists, cz", "cz", ["-l", "cz", "-m", "exact"], True),
    ("default lists, pt", "pt", ["-l", "pt"], True),
    ("default lists, fi", "fi", ["-l", "fi"], True),
    ("default lists, other", "other", ["-l", "other", "-lower"], True),
    ("default lists, two references", "two", ["-l", "en", "-r", "2", "-m", "exact stem synonym"], True),
    ("default lists, characters", "en", ["-l", "en", "-ch", "-m", "exact stem"], True),
    ("default lists, order of modules", "en", ["-l", "en", "-m", "synonym stem exact"], True),
    ("default lists, beam 2", "random", ["-l", "en", "-x", "2", "-m", "exact stem synonym"], True),
    ("default lists, tune", "en", ["-l", "en", "-t", "tune", "-m", "exact stem synonym"], True),
    ("default lists, own parameters", "en", ["-l", "en", "-p", "0.3 2.0 0.7 0.9", "-w", "0.9 0.4", "-m", "exact stem"], True),
    ("jar's lists, normalized", "en", ["-l", "en", "-norm", "-m", "exact stem synonym"], False),
    ("jar's lists, without punctuation", "en", ["-l", "en", "-norm", "-noPunct", "-m", "exact"], False),
    ("jar's lists, full table", "en", ["-l", "en", "-norm"], False),
    ("jar's lists, full table, random words", "random", ["-l", "en"], False),
    ("jar's lists, adq", "en", ["-l", "en", "-norm", "-t", "adq"], False),
    ("jar's lists, de", "de", ["-l", "de", "-norm", "-m", "exact stem"], False),
    ("jar's lists, fr", "fr", ["-l", "fr", "-norm", "-m", "exact stem"], False),
    ("jar's lists, es", "es", ["-l", "es", "-norm", "-m", "exact stem"], False),
    ("jar's lists, ru", "ru", ["-l", "ru", "-norm", "-m", "exact stem"], False),
    ("jar's lists, cz", "cz", ["-l", "cz", "-norm", "-m", "exact"], False),
]


def own_words():
    text = (ROOT / "meteor/lists/function.en.txt").read_text(encoding="utf-8")
    return [w for line in text.split("\n") if not line.startswith("#") for w in line.split()]


def lines(path, values):
    pathlib.Path(path).write_text("".join(v + "\n" for v in values), encoding="utf-8")


def run(args, folder):
    """What the program says of hyp and ref in the folder."""
    def call(*more):
        return subprocess.run([*JAVA, "-jar", METEOR / "meteor-1.5.jar", "hyp", "ref", *args, *more],
                              cwd=folder, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    out = call("-vOut", "-writeAlignments")
    stats = [line.strip() for line in call("-ssOut").split("\n") if line[:1].isdigit()]
    rows, system, evaluation = [], None, None
    for line in out.split("\n"):
        if line.startswith("Segment "):
            rows.append({k: float(v) if v != "NaN" else None for k, v in zip(("p", "r", "penalty", "score"), line.split("\t")[1:])})
        elif line.startswith("Final score:"):
            system = float(line.split()[-1])
        elif line.startswith("Eval ID:"):
            evaluation = line.split()[-1]
    blocks = (pathlib.Path(folder) / "meteor-align.out").read_text(encoding="utf-8").split("Alignment\t")[1:]
    if not len(blocks) == len(rows) == len(stats):
        sys.exit(f"{args}: {len(rows)} rows, {len(stats)} statistics, {len(blocks)} alignments")
    for row, stat, block in zip(rows, stats, blocks):
        b = block.split("\n")
        spans = []
        for line in b[4:]:
            if not line:
                break
            ref, hyp, stage = line.split()[:3]
            spans.append(f"{hyp}-{ref}/{stage}")
        row.update(stats=" ".join(str(int(float(x))) for x in stat.split()), align=" ".join(spans), hyp=b[1], ref=b[2])
    return {"id": evaluation, "system": system, "rows": rows}


def record_runs():
    texts = dict(TEXTS, random=random_pairs(60, VOCABULARY))
    texts["two"] = [(h, r) for h, r in TEXTS["en"]]
    out = []
    with tempfile.TemporaryDirectory() as folder:
        lines(pathlib.Path(folder) / "own.words", own_words())
        with gzip.open(pathlib.Path(folder) / "paraphrases.gz", "wt", encoding="utf-8") as f:
            for a, b in PARAPHRASES:
                f.write(f"0.5\n{a}\n{b}\n")
        for name, key, args, own in RUNS:
            pairs = texts[key]
            if key == "random" and not own:
                pairs = pairs[:20]
            hyps, refs = [h for h, _ in pairs], [[r] for _, r in pairs]
            if key == "two":
                refs = [[r, pairs[(i * 7 + 3) % len(pairs)][0]] for i, (_, r) in enumerate(pairs)]
            lines(pathlib.Path(folder) / "hyp", hyps)
            lines(pathlib.Path(folder) / "ref", [r for group in refs for r in group])
            call = [a if a != "PARAPHRASES" else "paraphrases.gz" for a in args]
            recorded = run(call + (["-s", "own.words"] if own else []), folder)
            out.append({"name": name, "args": args, "own": own, "hyps": hyps, "refs": refs, **recorded})
    text = {"generated_by": "scripts/record_meteor.py, meteor-1.5.jar of pycocoevalcap 1.2", "runs": out,
            "paraphrases": PARAPHRASES, "own_words": own_words()}
    with open(ROOT / "meteor/testdata/recorded.json", "w", encoding="utf-8") as f:
        json.dump(text, f, ensure_ascii=False, indent=0)
        f.write("\n")


# --- stems and synonyms --------------------------------------------------------
WORDS = {
    "danish": "husene hunden hundene løber løb løbende skoler skolernes venlig venlighed arbejde arbejdede børnenes mulighederne",
    "dutch": "huizen honden liepen lopende vriendelijkheid scholen werkte gewerkt mogelijkheden kinderen lichamelijk grootste jaren",
    "finnish": "talossa taloissa aarteeseen aarteiden huoneeseen koirat koirien juoksevat kirjoissa ystävällinen suomalaisiin bussiin kauppiaitten maassa",
    "french": "maisons chevaux mangeaient continuellement nationalité heureusement finissons majestueuse jouèrent grandes",
    "german": "Häuser häuser Ergebnisse ergebnisse ergebnissen ergebnisses ergebnis Freiheiten freiheiten laufende Kinder kindern größte weißesten hoffnungslos",
    "hungarian": "házakban emberről könyvből akitől asztalok barátaink gyerekeknek szépségét bűnöket tűzben időről",
    "italian": "case cani correvano felicemente possibilità gatti lavorando lavorato amici abbandonata",
    "norwegian": "husene hundene løpende skolene vennlighet arbeidet muligheter barnas løp sykehuset",
    "portuguese": "casas execução execuções evolução corriam felizmente possibilidade gatos amigas resoluções",
    "romanian": "casele câinii alergau fericire posibilitate pisici lucrând prietenilor copiilor frumoase",
    "russian": "дома домами играли большие большого красивейшая возможность бежавшие детьми книгами",
    "spanish": "casas perros corrían felizmente posibilidad gatos trabajando trabajado amigos abandonadas",
    "swedish": "husen hundarna springande skolorna vänlighet arbetade möjligheter barnens löpning flickornas",
    "turkish": "evler evlerinden kitaplarımız gözlükçüler okullarda arkadaşlarımız güzellikler yapılmış adamlar",
    "english": "running generously organised national nationally nationalization happiness flies dying skies abilities "
               "Running RUNS runs' don't y-axis controlling hopefulness relational sensibilities inning news proceed",
}
SYNONYM_WORDS = """car cars automobile automobiles auto boat boats ship ships buy buys bought purchase purchased big large
large-scale huge bigger biggest house houses home homes dwelling boss bosses chief dismiss dismissed fire fired firing child
children kid kids mouse mice goose geese man men woman women box boxes buzz buzzes church churches wish wishes fly flies lady
ladies bake baked baking talk talked talking nice nicer nicest pass passes glass ss is was be being are able entity 1 10 100
United_States new_york Paris paris run runs ran running better best good well ox oxen axis axes analysis analyses data datum
leaf leaves wolf wolves happy happier happily quickly quick fast speedy rapid doctor doctors physician physicians sick ill
worker workers employee employees started began begin start shut closed close closing bridge little small tiny ship stop halt
shouted cried cry cries handful handfuls spoonful abetted abetting xyzzy qqqs thing things dog hound hounds cat cats""".split()
DRIVER = r"""
import edu.cmu.meteor.util.Constants;
import edu.cmu.meteor.aligner.Stemmer;
import edu.cmu.meteor.aligner.SynonymDictionary;
import java.io.*;
import java.net.URL;
import java.util.*;
class Driver {
    public static void main(String[] a) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        Stemmer stemmer = a[0].equals("synonyms") ? null : Constants.newStemmer(a[0]);
        SynonymDictionary synonyms = null;
        if (stemmer == null) {
            URL dir = Constants.DEFAULT_SYN_DIR_URL;
            synonyms = new SynonymDictionary(new URL(dir + "/english.exceptions"), new URL(dir + "/english.synsets"),
                new URL(dir + "/english.relations"));
        }
        for (String word; (word = in.readLine()) != null; ) {
            if (stemmer != null) {
                out.println(word + "\t" + stemmer.stem(word));
                continue;
            }
            TreeSet<Integer> ids = new TreeSet<>(synonyms.getSynSets(word));
            ids.addAll(synonyms.getStemSynSets(word));
            StringJoiner numbers = new StringJoiner(" ");
            for (int id : ids) numbers.add("" + id);
            out.println(word + "\t" + numbers);
        }
    }
}
"""


def record_words():
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "Driver.java"
        source.write_text(DRIVER)
        def drive(what, words):
            return subprocess.run([*JAVA, "-cp", METEOR / "meteor-1.5.jar", source, what], input="\n".join(words) + "\n",
                                  check=True, capture_output=True, text=True, encoding="utf-8").stdout
        head = "# {} and {} in meteor-1.5.jar, by scripts/record_meteor.py\n"
        for language, words in WORDS.items():
            path = ROOT / f"internal/stem/testdata/{language}.tsv"
            path.write_text(head.format("word", "its stem") + drive(language, words.split()), encoding="utf-8")
        path = ROOT / "internal/wordnet/testdata/english.tsv"
        path.write_text(head.format("word", "the synsets of it and its base forms") + drive("synonyms", dict.fromkeys(SYNONYM_WORDS)), encoding="utf-8")


for folder in ("meteor", "internal/stem", "internal/wordnet"):
    (ROOT / folder / "testdata").mkdir(exist_ok=True)
record_words()
record_runs()
