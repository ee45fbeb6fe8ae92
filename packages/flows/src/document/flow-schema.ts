import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { MAX_MAX_DEADLINE_SECONDS } from '@farebox/protocol/limits'
import { z } from 'zod'
import { FLOW_INPUT, FLOW_OUTPUT, FLOW_VERSION } from './flow.ts'
import {
  MAX_ADAPTER_PORTS,
  MAX_FLOW_FIELDS,
  MAX_MAPPED_ITEMS,
  MAX_SECRETS,
  MAX_SPLIT_ITEMS,
  MAX_STEPS,
  MAX_WAIT_SECONDS,
  MAX_WIRES,
} from './flow-limits.ts'

const stepId = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    'must begin with a letter and have at most 64 letters, digits, - and _',
  )
const ownStepId = stepId.refine(
  id => id !== FLOW_INPUT && id !== FLOW_OUTPUT,
  `must not be "${FLOW_INPUT}" or "${FLOW_OUTPUT}"`,
)
const portName = z.string().min(1).max(256)
const portRef = z.strictObject({ step: stepId, port: portName })
const json = z.json() as unknown as z.ZodType<JsonValue>
// The fields are checked by `checkFields`, which gives better messages.
const fields = z.record(portName, z.json()) as unknown as z.ZodType<FieldMap>
const field = z.json() as unknown as z.ZodType<Field>
const constants = z.record(portName, json) as unknown as z.ZodType<JsonObject>
const price = z
  .string()
  .regex(/^(0|[1-9]\d{0,11})(\.\d{1,6})?$/, 'must be decimal USDC like "0.01", with at most 6 decimals')

const base = {
  label: z.string().min(1).max(64).optional(),
  constants: constants.optional(),
  secret: z.array(portName).max(MAX_SECRETS).optional(),
  after: z.array(portRef).max(MAX_ADAPTER_PORTS).optional(),
}

const condition = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('equal-to'), value: json }),
  z.strictObject({ is: z.literal('there') }),
  z.strictObject({
    is: z.enum(['less-than', 'at-most', 'greater-than', 'at-least']),
    value: z.number(),
  }),
  z.strictObject({ is: z.literal('containing'), value: z.union([z.string(), z.number(), z.boolean()]) }),
])

const step = z.discriminatedUnion('kind', [
  z.strictObject({
    ...base,
    kind: z.literal('job'),
    agent_id: z.int().positive(),
    capability: z.string().min(1).max(64),
    pinned: z.strictObject({
      agent_name: z.string().min(1).max(64),
      hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits'),
      price,
      max_deadline_seconds: z.number().positive().max(MAX_MAX_DEADLINE_SECONDS),
      input_schema: fields,
      output_schema: fields,
    }),
    map: z.strictObject({ port: portName, most: z.int().min(1).max(MAX_MAPPED_ITEMS) }).optional(),
  }),
  z.strictObject({
    ...base,
    kind: z.literal('rename'),
    names: z.record(portName, portName),
  }),
  z.strictObject({
    ...base,
    kind: z.literal('pick'),
    path: z.array(z.union([portName, z.int().min(0).max(1_000_000)])).max(16),
    gives: field.optional(),
  }),
  z.strictObject({ ...base, kind: z.literal('template'), text: z.string().max(20_000) }),
  z.strictObject({ ...base, kind: z.literal('to-number') }),
  z.strictObject({ ...base, kind: z.literal('join'), separator: z.string().max(100) }),
  z.strictObject({
    ...base,
    kind: z.literal('split'),
    separator: z.string().min(1).max(100),
    most: z.int().min(1).max(MAX_SPLIT_ITEMS),
  }),
  z.strictObject({ ...base, kind: z.literal('constant'), value: json }),
  z.strictObject({ ...base, kind: z.literal('default'), value: json }),
  z.strictObject({ ...base, kind: z.literal('first'), count: z.int().min(2).max(MAX_ADAPTER_PORTS) }),
  z.strictObject({ ...base, kind: z.literal('branch'), condition }),
  z.strictObject({ ...base, kind: z.literal('approval'), question: z.string().min(1).max(1_024) }),
  z.strictObject({
    ...base,
    kind: z.literal('wait'),
    seconds: z.int().min(1).max(MAX_WAIT_SECONDS).optional(),
  }),
])

const flowDocument = z.strictObject({
  flow_version: z.literal(FLOW_VERSION),
  name: z.string().min(1).max(80),
  description: z.string().max(1_024).optional(),
  inputs: fields,
  outputs: z
    .array(portName)
    .max(MAX_FLOW_FIELDS)
    .refine(names => new Set(names).size === names.length, 'must not name an output twice'),
  steps: z.record(ownStepId, step),
  wires: z.array(z.strictObject({ from: portRef, to: portRef })).max(MAX_WIRES),
  layout: z.record(stepId, z.strictObject({ x: z.number(), y: z.number() })).optional(),
})

/** The maximum size of each part; otherwise every element would be parsed and refused, which takes long for very many. */
const MOST = { steps: MAX_STEPS, layout: MAX_STEPS + 2, inputs: MAX_FLOW_FIELDS } as const

/**
 * The form of a {@link Flow}. The contents of its fields and the wiring of its steps are checked elsewhere. Parts with too
 * many elements are refused before they are parsed.
 */
export const flowSchema: z.ZodType<
  z.output<typeof flowDocument>,
  z.input<typeof flowDocument>
> = z.preprocess((value, context) => {
  if (typeof value !== 'object' || value === null) return value
  for (const [part, most] of Object.entries(MOST)) {
    const found: unknown = Object.hasOwn(value, part) ? Reflect.get(value, part) : undefined
    if (typeof found !== 'object' || found === null || Object.keys(found).length <= most) continue
    context.addIssue({
      code: 'custom',
      path: [part],
      message: `must be at most ${most}, got ${Object.keys(found).length}`,
    })
    return z.NEVER
  }
  return value
}, flowDocument)
