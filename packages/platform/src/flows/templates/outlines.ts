import type { Field } from '@farebox/protocol/fields/field'
import type { WantedJob } from '../../checking/flows/pin-jobs.ts'
import type { FlowOutline } from './flow-outline.ts'

const TEXT: Field = { type: 'string' }
const NUMBER: Field = { type: 'number' }

/** The input of flows in which an agent summarizes or counts a text. */
const ARTICLE: Field = {
  type: 'string',
  required: true,
  minLength: 20,
  maxLength: 20_000,
  description: 'The text, of a few sentences or many',
}
const SHORT_TEXT: Field = { type: 'string', minLength: 1, maxLength: 20_000 }
const LINK: Field = {
  type: 'string',
  required: true,
  format: 'uri',
  minLength: 1,
  maxLength: 1_000,
  description: 'Where the text can be read',
}

const SUMMARIZE: WantedJob = {
  kind: 'job',
  capability: 'summarize',
  takes: { text: TEXT },
  gives: { summary: TEXT },
}
const ENCODE: WantedJob = { kind: 'job', capability: 'encode', takes: { text: TEXT }, gives: { svg: TEXT } }
const COUNT: WantedJob = {
  kind: 'job',
  capability: 'count',
  takes: { text: TEXT },
  gives: { words: NUMBER, sentences: NUMBER, reading_seconds: NUMBER },
}
const FREQUENT: WantedJob = {
  kind: 'job',
  capability: 'frequent',
  takes: { text: TEXT },
  gives: {
    words: { type: 'array', items: { type: 'object', properties: { word: TEXT, count: NUMBER } } },
  },
}

const TIDES = `The tide rises and falls twice a day on most coasts. The moon pulls the sea towards it, and the earth \
turns beneath the bulge that this makes. When sun and moon pull in one line, the tide is highest: that is a spring tide, \
and it comes at full moon and at new moon. When they pull at right angles, the difference is smallest. In a bay that \
narrows, the water has nowhere to go but up: in the Bay of Fundy it rises sixteen metres. Harbours print a table of the \
tides for every day of the year, because a ship that draws more than the water is deep has to wait. The moon has moved \
the sea for four billion years, and the sea has slowed the earth: a day was once much shorter than it is now.`

const BAKING = `A sourdough needs flour, water, salt and time. The starter is fed in the evening, and in the morning it \
has doubled. Then the dough is mixed, folded every half hour, and left alone. It is shaped, it rests in the cold over \
night, and it is baked in a hot pot with the lid on for the first half of the time.`

/** The template flows, the simplest first. */
export const OUTLINES: readonly FlowOutline[] = [
  {
    id: 'reading-note',
    name: 'How long it takes to read',
    description: 'Counts a text, and says in a sentence how long it takes to read.',
    inputs: { text: { ...SHORT_TEXT, required: true, description: 'The text to count' } },
    outputs: ['note'],
    steps: {
      count: COUNT,
      note: { kind: 'template', text: '{words} words in {sentences} sentences: {seconds} seconds to read.' },
    },
    wires: [
      'input.text > count.text',
      'count.words > note.words',
      'count.sentences > note.sentences',
      'count.reading_seconds > note.seconds',
      'note.text > output.note',
    ],
    places: { input: [0, 0], count: [1, 0], note: [2, 0], output: [3, 0] },
    sample: { text: BAKING },
  },
  {
    id: 'article-card',
    name: 'Article card',
    description: 'Summarises an article, and makes a QR code of the link to it.',
    inputs: { article: ARTICLE, link: LINK },
    outputs: ['summary', 'code'],
    steps: { summary: { ...SUMMARIZE, constants: { sentences: 2 } }, code: ENCODE },
    wires: [
      'input.article > summary.text',
      'input.link > code.text',
      'summary.summary > output.summary',
      'code.svg > output.code',
    ],
    places: { input: [0, 0], summary: [1, 0], code: [1, 1], output: [2, 0] },
    sample: { article: TIDES, link: 'https://example.com/tides' },
  },
  {
    id: 'most-used-word',
    name: 'The word that is used most',
    description:
      'Finds the word that a text uses most, and says how often, with free steps alone behind one paid job.',
    inputs: { text: { ...SHORT_TEXT, required: true, description: 'The text to look through' } },
    outputs: ['sentence'],
    steps: {
      frequent: FREQUENT,
      word: { kind: 'pick', path: [0, 'word'], label: 'Word' },
      times: { kind: 'pick', path: [0, 'count'], label: 'Times' },
      sentence: { kind: 'template', text: 'The word used most is “{word}”: {times} times.' },
    },
    wires: [
      'input.text > frequent.text',
      'frequent.words > word.value',
      'frequent.words > times.value',
      'word.value > sentence.word',
      'times.value > sentence.times',
      'sentence.text > output.sentence',
    ],
    places: {
      input: [0, 0],
      frequent: [1, 0],
      word: [2, 0],
      times: [2, 1],
      sentence: [3, 0],
      output: [4, 0],
    },
    sample: { text: TIDES },
  },
  {
    id: 'only-if-long',
    name: 'Shorten it if it is long',
    description: 'Counts a text, and pays for a summary only where it has a hundred words or more.',
    inputs: { text: ARTICLE },
    outputs: ['text', 'words'],
    steps: {
      count: COUNT,
      long: { kind: 'branch', condition: { is: 'at-least', value: 100 }, label: 'A hundred words or more' },
      summary: { ...SUMMARIZE, after: [{ step: 'long', port: 'then' }] },
      short: { kind: 'first', count: 2, label: 'Summary, or the text' },
    },
    wires: [
      'input.text > count.text',
      'count.words > long.value',
      'input.text > summary.text',
      'summary.summary > short.1',
      'input.text > short.2',
      'short.value > output.text',
      'count.words > output.words',
    ],
    places: {
      input: [0, 0],
      count: [1, 0],
      long: [2, 0],
      summary: [3, 0],
      short: [4, 0],
      output: [5, 0],
    },
    sample: { text: TIDES },
  },
  {
    id: 'approve-the-summary',
    name: 'A person approves first',
    description: 'Summarises an article, asks a person about it, and only then pays for the QR code.',
    inputs: { article: ARTICLE, link: LINK },
    outputs: ['summary', 'code'],
    steps: {
      summary: { ...SUMMARIZE, constants: { sentences: 2 } },
      approval: { kind: 'approval', question: 'Does this summary say what the article says?' },
      code: { ...ENCODE, after: [{ step: 'approval', port: 'approved' }] },
    },
    wires: [
      'input.article > summary.text',
      'summary.summary > approval.value',
      'input.link > code.text',
      'approval.approved > output.summary',
      'code.svg > output.code',
    ],
    places: { input: [0, 0], summary: [1, 0], approval: [2, 0], code: [3, 1], output: [4, 0] },
    sample: { article: TIDES, link: 'https://example.com/tides' },
  },
  {
    id: 'count-each',
    name: 'Count several texts',
    description: 'Has each text of a list counted, up to ten of them, and joins the numbers to one line.',
    inputs: {
      texts: {
        type: 'array',
        required: true,
        items: SHORT_TEXT,
        minItems: 1,
        maxItems: 10,
        description: 'The texts to count',
      },
    },
    outputs: ['words', 'line'],
    steps: {
      count: { ...COUNT, map: { port: 'text', most: 10 } },
      line: { kind: 'join', separator: ', ' },
    },
    wires: [
      'input.texts > count.text',
      'count.words > output.words',
      'count.words > line.list',
      'line.text > output.line',
    ],
    places: { input: [0, 0], count: [1, 0], line: [2, 1], output: [3, 0] },
    sample: { texts: [BAKING, TIDES] },
  },
  {
    id: 'text-report',
    name: 'Report on a text',
    description:
      'Counts a text and finds its most used word at the same time, summarises it, and writes a report.',
    inputs: { text: ARTICLE },
    outputs: ['report'],
    steps: {
      count: COUNT,
      frequent: FREQUENT,
      summary: { ...SUMMARIZE, constants: { sentences: 2 } },
      word: { kind: 'pick', path: [0, 'word'], label: 'Most used word' },
      report: {
        kind: 'template',
        text: '{words} words. What it is about: {word}.\n\n{summary}',
      },
    },
    wires: [
      'input.text > count.text',
      'input.text > frequent.text',
      'input.text > summary.text',
      'frequent.words > word.value',
      'count.words > report.words',
      'word.value > report.word',
      'summary.summary > report.summary',
      'report.text > output.report',
    ],
    places: {
      input: [0, 1],
      count: [1, 0],
      frequent: [1, 1],
      summary: [1, 2],
      word: [2, 1],
      report: [3, 1],
      output: [4, 1],
    },
    sample: { text: TIDES },
  },
]
