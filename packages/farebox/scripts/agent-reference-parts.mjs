// The texts and the examples of docs/agent-json.md. Facts that the code knows are taken from the code:
// write-agent-reference.mjs fills them in, and refuses to write when an entry here is missing or wrong.

/**
 * For each keyword a field that uses it, and a value that the field refuses; `value` undefined: the field is missing.
 */
export const KEYWORD_EXAMPLES = {
  type: { field: { type: 'integer' }, refused: { value: 1.5 } },
  required: { field: { type: 'string', required: true }, refused: { value: undefined } },
  title: { field: { type: 'string', title: 'Language' } },
  description: { field: { type: 'string', description: 'Two letters, such as "de"' } },
  examples: { field: { type: 'string', examples: ['Good morning'] } },
  default: { field: { type: 'integer', default: 10 } },
  enum: { field: { type: 'string', enum: ['png', 'svg'] }, refused: { value: 'gif' } },
  minLength: { field: { type: 'string', minLength: 2 }, refused: { value: 'a' } },
  maxLength: { field: { type: 'string', maxLength: 3 }, refused: { value: 'abcd' } },
  pattern: { field: { type: 'string', pattern: '^[a-z]{2}$' }, refused: { value: 'DE' } },
  format: { field: { type: 'string', format: 'email' }, refused: { value: 'me' } },
  minimum: { field: { type: 'number', minimum: 0 }, refused: { value: -1 } },
  maximum: { field: { type: 'integer', maximum: 100 }, refused: { value: 101 } },
  items: { field: { type: 'array', items: { type: 'number' } }, refused: { value: [1, 'two'] } },
  minItems: { field: { type: 'array', minItems: 1 }, refused: { value: [] } },
  maxItems: { field: { type: 'array', maxItems: 2 }, refused: { value: [1, 2, 3] } },
  properties: {
    field: { type: 'object', properties: { city: { type: 'string', required: true } } },
    refused: { value: {} },
  },
}

/** Values that callers send in place of a value of the declared type. */
export const COERCION_SAMPLES = [
  'text',
  '1.5',
  '42',
  '1e3',
  '1e308',
  '9007199254740993',
  ' 42',
  '042',
  '0x2a',
  '1,5',
  'NaN',
  '',
  1.5,
  42,
  'true',
  'True',
  '1',
  true,
  1,
  null,
  ['text'],
  { text: 'text' },
]

/** The five typed errors. */
export const ERROR_CLASSES = {
  validation: ['ValidationError', 'The input is not what the capability takes.'],
  capability: ['CapabilityError', 'Not a capability of this agent. Farebox throws it itself.'],
  payment: ['PaymentError', 'The payment is not good for this job.'],
  deadline: ['DeadlineError', 'The job cannot be done in time.'],
  internal: ['InternalError', 'The agent failed, and the caller may read why.'],
}

const REFUSED_AT_START = 'the agent does not start, and a platform does not list it'
const REFUSED_INPUT = '400 `validation`'

/**
 * Each limit: what is limited, its unit, and what happens beyond it. Undefined: the limit does not concern authors of
 * agents.
 */
export const LIMIT_ROWS = {
  MAX_BODY_BYTES: ['Body of `POST /execute`', 'bytes', REFUSED_INPUT],
  MAX_BODY_DEPTH: [
    'Nesting of a body, and of an output',
    'levels',
    '400 `validation`; an output: 500, not charged',
  ],
  MAX_PATTERN_CHARACTERS: ['A `pattern`', 'characters', REFUSED_AT_START],
  MAX_SCHEMA_FIELDS: ['Fields of one schema, nested ones included', 'fields', REFUSED_AT_START],
  MAX_FIELD_DEPTH: ['Nesting of `items` and `properties`', 'levels', REFUSED_AT_START],
  MAX_FIELD_NAME_CHARACTERS: ['Name of a field', 'characters', REFUSED_AT_START],
  MAX_VALUES: [
    'Array items and object properties of one value',
    'values',
    '400 `validation`; an output: 500, not charged',
  ],
  MAX_INPUT_CHECK_STEPS: [
    'Checking one input (see "What checking may cost")',
    'steps',
    '400 `validation`, naming the field',
  ],
  MAX_OUTPUT_CHECK_STEPS: ['Checking one output', 'steps', '500, not charged'],
  MAX_DECLARATION_CHECK_STEPS: ['Checking the declaration itself', 'steps', REFUSED_AT_START],
  CHECK_STEPS_PER_VALUE: ['Steps that a field or an item counts', 'steps', ''],
  MAX_DECLARATION_PATTERN_INSTRUCTIONS: [
    'All patterns of the declaration, compiled',
    'instructions',
    REFUSED_AT_START,
  ],
  PATTERN_BASE_INSTRUCTIONS: ['Instructions that each pattern counts beside its own', 'instructions', ''],
  MAX_DECLARATION_PROBLEMS: [
    'Problems reported of one declaration',
    'problems',
    'fix those, and the rest is reported',
  ],
  MAX_AGENT_NAME_CHARACTERS: ['`name`, and the name of a capability', 'characters', REFUSED_AT_START],
  MAX_DESCRIPTION_CHARACTERS: ['`description`', 'characters', REFUSED_AT_START],
  MAX_MAX_DEADLINE_SECONDS: ['`max_deadline_seconds`', 'seconds', REFUSED_AT_START],
  MILLISECONDS_LOOK_FROM: undefined,
  RESPONSE_KEPT_SECONDS: [
    'A delivered response, kept for repeats of its `job_id`',
    'seconds',
    'the `job_id` is free again',
  ],
  MIN_MAX_TIMEOUT_SECONDS: undefined,
  MAX_TIMEOUT_MARGIN_SECONDS: undefined,
  SETTLE_MARGIN_SECONDS: [
    'Time that a payment must outlive the work by',
    'seconds',
    'a shorter one ends the job earlier',
  ],
  MAX_AUTHORIZATION_SECONDS: ['How long a payment may be valid from now', 'seconds', '402 `payment`'],
  PAYMENT_CLAIM_MARGIN_SECONDS: undefined,
  CLAIM_LEASE_SECONDS: undefined,
  MAX_TIMER_MS: undefined,
  SHUTDOWN_GRACE_SECONDS: [
    'A stop, from SIGTERM to the end; jobs in flight have the first 19 of them',
    'seconds',
    '503, not charged',
  ],
  MAX_RESPONSE_BYTES: ['The whole answer to `POST /execute`, as UTF-8', 'bytes', '500, not charged'],
  MAX_WRAPPED_RESPONSE_BYTES: undefined,
  MAX_BODY_PIECES: undefined,
  MAX_PAYMENT_HEADER_CHARACTERS: ['A payment header', 'characters', '402 `payment`'],
  MAX_HEADER_SECTION_BYTES: ['Names and values of one request’s headers', 'bytes', '431'],
  CHARGE_COUNTS_SECONDS: [
    'Age of a charge for which a job is run again, where its response was lost',
    'seconds',
    '402 `payment`: the payment has been used',
  ],
  MAX_AUTHORIZATION_TIME: undefined,
  MAX_PAYMENT_REQUIRED_HEADER_BYTES: undefined,
  USDC_DECIMALS: ['Decimals of a price', 'decimals', REFUSED_AT_START],
}

/** The page around the generated parts. */
export const PAGE =
  parts => `<!-- Generated by packages/farebox/scripts/write-agent-reference.mjs: change the rules or the script, then npm run check -- --fix -->

# agent.json and handlers

An agent is two files. \`agent.json\` declares what it does, what goes in, what comes out and what it costs; \`handlers.ts\`
does the work. Everything a caller can send is checked against the declaration before your code runs, and everything your
code returns is checked before anybody pays.

This page is generated from the rules that do the checking. The messages on it are the ones that the code gives.

## A whole declaration

\`\`\`json
${parts.example}
\`\`\`

An editor that reads JSON Schema completes it and explains each key: add
\`"$schema": "./node_modules/farebox/agent.schema.json"\`. \`npx farebox validate\` names every problem by file, line and
column, with its fix.

${parts.declarationKeys}

An unknown key is an error, and the message says which key it resembles: a typo is never ignored.

### What \`max_deadline_seconds\` does

It is how long a platform waits before it marks a job expired, and the longest deadline that a platform asks for. About
twice what a job usually takes is a good value.

It does not limit your handler. The deadline of a job is the caller's: \`deadline\` in the request, or ten seconds before
the payment ends where that is earlier. Somebody who calls your agent directly may ask for a later deadline than
\`max_deadline_seconds\`, and gets it. \`ctx.deadline\` has the one that counts. At that moment the caller is answered 408,
nothing is charged, and what the handler still returns is dropped.

## A capability

Names of capabilities and of fields are yours, but for numbers (\`"7"\`) and \`__proto__\`: JavaScript would reorder or lose
them. A request that names no capability is for the first.

${parts.capabilityKeys}

\`pricing\`:

${parts.pricingKeys}

\`permissions\` lists what a user must agree to before a capability may spend from their wallet. Each entry:

${parts.permissionKeys}

## Fields

\`input_schema\` and \`output_schema\` are maps from field name to field. The keywords have the meaning they have in JSON
Schema, with one difference: \`required\` is \`true\` or \`false\` on the field itself, not a list on its parent.

| | an input field | an output field |
|---|---|---|
| without \`required\` | optional | must be there |
| not declared | dropped before the handler | in production dropped and logged; in dev mode passed through with a warning |
| of another type | converted where that is safe (below) | an error: 500, not charged |
| \`default\` | given to the handler where the field is missing | for readers only |

${parts.types}

Every type takes the keywords for every type as well. An \`array\` without \`items\` and an \`object\` without \`properties\` are
handed over as they came.

### Keywords

The last column is the answer to a value that breaks the example, for a field called \`f\`.

${parts.keywords}

- Lengths count Unicode code points: an emoji is usually one character.
- A \`pattern\` is in [RE2 syntax](https://github.com/google/re2/wiki/Syntax) and matches anywhere unless \`^\` and \`$\` tie it
  to the ends. There are no lookaheads and no back-references: those are what lets a pattern run for minutes.
- \`default\` and \`enum\` must fit their own field, or the agent does not start. An example in \`examples\` that does not fit
  is a warning at the start: it is for readers.
- Other keywords of JSON Schema are refused, each with what to write in its place.

### Formats

A declared \`format\` is checked. An unknown one is an error.

${parts.formats}

### What is converted

Inputs only; outputs are never converted. Texts become numbers where they are numbers of JSON, \`"true"\` and \`"false"\`
become booleans, numbers and booleans become texts. Nothing else is converted. An \`integer\` must be one that JavaScript
keeps exactly, up to 9,007,199,254,740,991 either way; so must a text of digits alone, for a \`number\` too.

${parts.coercions}

Arrays and objects take arrays and objects alone.

## A handler

\`\`\`ts
import type { Handler } from './agent.d.ts'

export default (async (input, ctx) => {
  const answer = await fetch('https://example.com/', { signal: ctx.signal })
  ctx.log(\`answered \${answer.status}\`)
  return { text: input.text.toUpperCase() }
}) satisfies Handler
\`\`\`

\`handlers.ts\`, \`.mts\`, \`.js\` or \`.mjs\` stands beside \`agent.json\` or in \`src/\`. Its default export is the function, or
with several capabilities a map from their names to functions. \`farebox types\` writes \`agent.d.ts\`, in which \`input\` and
what you return are typed from the declaration.

\`input\` has been checked and converted, with defaults filled in. Return an object with every output field that is not
\`"required": false\`; it must be plain JSON data.

${parts.context}

A handler may run twice when the process that runs it dies: use \`ctx.jobId\` as the idempotency key of whatever it does
to the world. Money moves once in any case.

### Spending what the payer permits

A capability that declares \`EXECUTE_TRANSACTIONS\` may move tokens of whoever pays for the job, within what they permitted:

\`\`\`ts
import type { Handler } from './agent.d.ts'

export default (async (input, ctx) => {
  ctx.log(\`\${await ctx.allowance()} USDC could be spent\`)
  const { transaction } = await ctx.spend({ token: 'USDC', amount: input.amount, to: input.shop })
  return { transaction }
}) satisfies Handler
\`\`\`

- \`ctx.spend\` reads the chain before it acts, and resolves when the transaction is in a block. An amount above what is
  available, above the declared \`max_per_transaction\`, or that a permission does not allow when the block comes is a
  \`ValidationError\`: nothing moved, and the job is not charged. You need not ask \`ctx.allowance\` yourself.
- **Once for each call in each job.** The calls of a job are numbered from 0 to 255. A job that is run again, by whichever
  process, makes no spend a second time: it gets the transaction of the first, with \`resumed: true\`. So call \`ctx.spend\`
  in the same order with the same recipient and amount each time. A call that asks for something else than the first time is
  an \`InternalError\` with the transaction that was made.
- A job_id may come again long after it was answered, and its spends are resumed then too. What you deliver for a spend,
  deliver once for each \`transaction\`.
- A job that fails after a spend is not charged, and its answer names the transaction: the spend is not undone. A spend whose
  outcome is not known at the deadline makes the job late (408), whatever the handler returns; the same job_id again finds out.
- \`ctx.spend\` throws an \`InternalError\` where the capability does not declare it, where the agent has no key to spend with,
  and in dev mode, where nobody pays. [What an agent needs to spend](operating-an-agent.md#handlers-that-spend).

### Hiring other agents

\`ctx.hire(agent, capability, input, { key, maxPrice })\` has another agent do a part of the job and pays for it from this
agent's own wallet; \`ctx.budget()\` says what may still be paid. A job that is run again gets what it has bought. What was
paid is lost where the job fails afterwards: [Agents that hire agents](hiring.md).

### Errors

Throw one of these, exported by \`farebox\`, and the caller reads your message. They take \`(message)\` or
\`(field, reason)\`. None of them is charged.

${parts.errors}

Anything else that is thrown, and an output that breaks its schema, is answered 500 \`Internal error\`; the text goes to
the log as \`handler error: …\` and to nobody else.

## What checking may cost

Checks are counted in steps, so that a caller cannot keep an agent busy with one request, and so that agent, platform
and browser give the same verdict. You are unlikely to meet these limits: an input may hold 5,000 UUIDs checked by a
pattern, or 100,000 numbers.

- Matching a text takes a step for each of its characters, times the instructions that the pattern compiles to. A plain
  pattern has about as many instructions as characters; \`x{1,200}\` has 400. A \`format\` takes none: prefer
  \`"format": "uuid"\` to a pattern for UUIDs.
- Each field and each array item takes four steps, a \`default\` that is filled in one for each of its characters.

## Limits

${parts.limits}
`
