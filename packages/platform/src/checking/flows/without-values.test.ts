import type { Flow, Step } from '@farebox/flows/document/flow'
import type { CurrentCapability } from '@farebox/flows/internal/check/catalog'
import type { FieldMap, JsonValue } from '@farebox/protocol/fields/field'
import { expect, test } from 'vitest'
import { catalogOf, findBreaks } from './find-breaks.ts'
import { withoutValues } from './without-values.ts'

const TEXT = { type: 'string' } as const

function offering(takes: FieldMap): CurrentCapability {
  return {
    agent_name: 'Worker',
    state: 'online',
    hash: 'a'.repeat(64),
    price: '0.01',
    max_deadline_seconds: 10,
    input_schema: takes,
    output_schema: { text: TEXT },
    permissions: [],
  }
}

const BEFORE = offering({ text: { ...TEXT, required: true }, list: { type: 'array', items: TEXT } })
const catalog = (current: CurrentCapability) => catalogOf([{ agentId: 1, capability: 'work', current }])

function jobOf(given: Partial<Step> = {}): Step {
  const { state: _, permissions: __, ...pinned } = BEFORE
  return { kind: 'job', agent_id: 1, capability: 'work', pinned, ...given } as Step
}

/** A flow with a value in every place that can have one. */
function flowWith(value: string, number: number): Flow {
  const any: JsonValue = number % 2 === 0 ? value : [value]
  const base = { constants: { value: any }, secret: ['value'] }
  return {
    flow_version: 1,
    name: 'Values',
    inputs: { asked: { ...TEXT, enum: [value], default: value, examples: [value], description: value } },
    outputs: [],
    steps: {
      job: jobOf({ constants: { text: value } }),
      items: { ...jobOf({ constants: { list: [value] } }), map: { port: 'list', most: number } } as Step,
      other: { ...jobOf({ constants: { text: value } }), agent_id: 2 } as Step,
      constant: { kind: 'constant', value: any },
      default: { kind: 'default', value: any },
      branch: { kind: 'branch', condition: { is: 'equal-to', value }, ...base },
      approval: { kind: 'approval', question: 'Now?', ...base },
      pick: { kind: 'pick', path: ['a'], gives: { ...TEXT, pattern: value }, ...base },
      split: { kind: 'split', separator: ',', most: number, constants: { text: value } },
      template: { kind: 'template', text: 'Hello {name}', constants: { name: value, stray: value } },
    },
    wires: [],
  }
}

test('flows that differ only in values are equal without them', () => {
  const offers = { before: catalog(BEFORE), after: catalog(BEFORE) }
  const [one, other] = [withoutValues(flowWith('sk-1', 2), offers), withoutValues(flowWith('k', 31), offers)]
  expect(one).toEqual(other)
  expect(JSON.stringify(one)).not.toContain('sk-')
})

test('a value is replaced by one its agent accepted: a stricter pattern breaks nothing, another type does', () => {
  const flow: Flow = { ...flowWith('sk-1', 2), steps: { job: jobOf({ constants: { text: 'sk-1' } }) } }
  const breaksWith = (text: FieldMap[string]): readonly string[] => {
    const offers = {
      before: catalog(BEFORE),
      after: catalog(offering({ text: { ...text, required: true } })),
    }
    return findBreaks(withoutValues(flow, offers), offers.before, offers.after).map(({ id }) => id)
  }
  expect(breaksWith({ ...TEXT, pattern: '^x' })).toEqual([])
  expect(breaksWith({ type: 'array' })).toEqual(['impossible job text'])
})

test('a wire from a missing step stays unconnected', () => {
  const wires = [1, 2, 3].map(number => ({
    from: { step: `value-${number}`, port: 'value' },
    to: { step: `wait-${number}`, port: 'value' },
  }))
  const steps = Object.fromEntries(
    wires.map(({ to }): [string, Step] => [to.step, { kind: 'wait', seconds: 1 }]),
  )
  const job = jobOf({ constants: { text: 'sk-1' } })
  const flow: Flow = { ...flowWith('sk-1', 2), steps: { ...steps, job }, wires }
  const plain = withoutValues(flow, { before: catalog(BEFORE), after: catalog(BEFORE) })
  expect(plain.wires.find(({ to }) => to.step === 'job')).toBeDefined()
  for (const { from } of wires) expect(Object.keys(plain.steps)).not.toContain(from.step)
})
