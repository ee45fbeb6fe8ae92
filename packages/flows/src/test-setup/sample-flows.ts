import type { FieldMap } from '@farebox/protocol/fields/field'
import type { Flow, JobStep, Step } from '../document/flow.ts'

/** A job step for tests; only its schemas matter. */
export function jobStep(
  takes: FieldMap,
  gives: FieldMap,
  given: Partial<JobStep> & { readonly price?: string } = {},
): JobStep {
  const { price = '0.002', ...rest } = given
  return {
    kind: 'job',
    agent_id: 1,
    capability: 'work',
    pinned: {
      agent_name: 'Worker',
      hash: 'a'.repeat(64),
      price,
      max_deadline_seconds: 30,
      input_schema: takes,
      output_schema: gives,
    },
    ...rest,
  }
}

/** A flow for tests: wires are written as `summary.text > qr.content`, and its outputs follow from them. */
export function flowOf(
  inputs: FieldMap,
  steps: { readonly [id: string]: Step },
  wires: readonly string[],
): Flow {
  const read = wires.map(wire => {
    const [from, to] = wire.split(' > ').map(end => {
      const [step = '', ...port] = end.split('.')
      return { step, port: port.join('.') }
    })
    if (from === undefined || to === undefined) throw new TypeError(`no wire: ${wire}`)
    return { from, to }
  })
  return {
    flow_version: 1,
    name: 'A flow',
    inputs,
    outputs: read.filter(({ to }) => to.step === 'output').map(({ to }) => to.port),
    steps,
    wires: read,
  }
}

export const SUMMARY = jobStep(
  { text: { type: 'string', required: true }, sentences: { type: 'integer', default: 3, minimum: 1 } },
  {
    summary: { type: 'string' },
    words: { type: 'integer' },
    links: { type: 'array', items: { type: 'string' } },
  },
  { price: '0.01', capability: 'summarize' },
)

export const QR = jobStep(
  { content: { type: 'string', required: true, maxLength: 500 } },
  { svg: { type: 'string' } },
  { price: '0.005', capability: 'encode' },
)

/** Summarises a text, and creates a QR code of its first link. */
export const SUMMARY_AND_QR = flowOf(
  { article: { type: 'string', required: true } },
  { summary: SUMMARY, link: { kind: 'pick', path: [0] }, qr: QR },
  [
    'input.article > summary.text',
    'summary.links > link.value',
    'link.value > qr.content',
    'summary.summary > output.summary',
    'qr.svg > output.code',
  ],
)

/** A flow of maximum size: rows of two agents with common steps between them, all joined into one list at the end. */
export const LARGE_FLOW = flowOf(
  { article: { type: 'string', required: true } },
  Object.fromEntries(
    Array.from({ length: 40 }, (_, row): [string, Step][] => [
      [`summary${row}`, SUMMARY],
      [`link${row}`, { kind: 'pick', path: [0] }],
      [`qr${row}`, QR],
      [`long${row}`, { kind: 'branch', condition: { is: 'greater-than', value: 10 } }],
      [`words${row}`, { kind: 'template', text: '{summary}: {words}' }],
    ]).flat(),
  ),
  Array.from({ length: 40 }, (_, row) => [
    `${row === 0 ? 'input.article' : `words${row - 1}.text`} > summary${row}.text`,
    `summary${row}.links > link${row}.value`,
    `link${row}.value > qr${row}.content`,
    `summary${row}.words > long${row}.value`,
    `long${row}.then > words${row}.words`,
    `summary${row}.summary > words${row}.summary`,
    `qr${row}.svg > output.qr${row}`,
  ]).flat(),
)
