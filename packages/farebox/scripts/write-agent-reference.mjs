// Writes docs/agent-json.md, the reference of agent.json and of handlers, from the rules that check them. Every example
// in it is checked, and every answer in it was given by the code.
//   node --conditions=@farebox/built scripts/write-agent-reference.mjs          writes the page
//   node --conditions=@farebox/built scripts/write-agent-reference.mjs --check  exits 1 if the page differs
// The packages must be built.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import { declarationSchema } from '@farebox/protocol/declaration/declaration-schema'
import { formatProblem } from '@farebox/protocol/problems/problem'
import { ERROR_STATUS } from '@farebox/protocol/errors/error-types'
import { coerce } from '@farebox/protocol/src/fields/coerce'
import { compileInput, formatViolation } from '@farebox/protocol/fields/compile'
import { FIELD_KEYWORDS } from '@farebox/protocol/fields/field'
import { FORMATS, FORMAT_EXAMPLES } from '@farebox/protocol/src/fields/formats'
import { keywordRule } from '@farebox/protocol/src/field-rules/keyword-rules'
import {
  COERCION_SAMPLES,
  ERROR_CLASSES,
  KEYWORD_EXAMPLES,
  LIMIT_ROWS,
  PAGE,
} from './agent-reference-parts.mjs'

const limits = { ...(await import('@farebox/protocol/limits')) }
// The second page is published with the package, for projects without a clone of the repository.
const pages = ['../../../docs/agent-json.md', '../agent-json.md'].map(path =>
  fileURLToPath(new URL(path, import.meta.url)),
)
const handlers = readFileSync(new URL('../src/handlers.ts', import.meta.url), 'utf8')
const text = PAGE({
  example: exampleDeclaration(),
  declarationKeys: keysTable(declarationSchema()),
  capabilityKeys: keysTable(schemaAt('capabilities').additionalProperties),
  pricingKeys: keysTable(schemaAt('capabilities').additionalProperties.properties.pricing),
  permissionKeys: keysTable(schemaAt('capabilities').additionalProperties.properties.permissions.items),
  types: typesTable(),
  keywords: keywordsTable(),
  formats: table(
    ['format', 'example'],
    FORMATS.map(format => [code(format), code(FORMAT_EXAMPLES[format])]),
  ),
  coercions: coercionTable(),
  context: contextTable(),
  errors: errorsTable(),
  limits: limitsTable(),
})

if (!process.argv.includes('--check')) for (const page of pages) writeFileSync(page, text)
else if (pages.some(page => readIfThere(page) !== text)) {
  console.error('docs/agent-json.md: out of date; run npm run check -- --fix')
  process.exitCode = 1
}

function readIfThere(page) {
  try {
    return readFileSync(page, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

/** The declaration at the beginning of the README; it must be valid without a warning. */
function exampleDeclaration() {
  const file = new URL('../../../examples/first-agent/agent.json', import.meta.url)
  const json = readFileSync(file, 'utf8')
  mustBeGood(JSON.parse(json), 'examples/first-agent/agent.json')
  return json.trimEnd()
}

function schemaAt(key) {
  return declarationSchema().properties[key]
}

/** A table of the keys of one object of the declaration, with the descriptions from its schema. */
function keysTable({ properties, required }) {
  return table(
    ['key', '', 'meaning'],
    Object.entries(properties).map(([key, { description }]) => [
      code(key),
      required.includes(key) ? 'required' : 'optional',
      cell(description),
    ]),
  )
}

function typesTable() {
  const common = FIELD_KEYWORDS.boolean
  return table(
    ['type', 'keywords of its own'],
    Object.entries(FIELD_KEYWORDS).map(([type, keywords]) => {
      const own = keywords.filter(keyword => !common.includes(keyword))
      return [code(type), own.map(code).join(', ') || 'none']
    }),
  )
}

/** Each keyword with an example, and the answer to a value that violates it. */
function keywordsTable() {
  const all = [...new Set(Object.values(FIELD_KEYWORDS).flat())]
  same(all, Object.keys(KEYWORD_EXAMPLES), 'KEYWORD_EXAMPLES')
  return table(
    ['keyword', 'for', 'meaning', 'example', 'what a caller is answered'],
    all.map(keyword => {
      const { field, refused } = KEYWORD_EXAMPLES[keyword]
      const types = Object.entries(FIELD_KEYWORDS).filter(([, keywords]) => keywords.includes(keyword))
      return [
        code(keyword),
        types.length === Object.keys(FIELD_KEYWORDS).length
          ? 'every type'
          : types.map(([type]) => type).join(', '),
        cell(keywordRule(keyword).description),
        code(JSON.stringify(field)),
        refused === undefined ? '' : refusal(field, refused.value),
      ]
    }),
  )
}

/**
 * The message for a value of the field `f`, which must be refused; without a value, the message for the missing field.
 */
function refusal(field, value) {
  mustBeGood(declarationOf({ f: field }), JSON.stringify(field))
  const checked = compileInput({ f: field })(value === undefined ? {} : { f: value })
  if (checked.ok) throw new Error(`${JSON.stringify(field)} takes ${JSON.stringify(value)}`)
  return cell(formatViolation(checked.violation))
}

/** A table of the result of converting each sample to each type. */
function coercionTable() {
  const types = ['string', 'number', 'integer', 'boolean']
  return table(
    ['a caller sends', ...types.map(code)],
    COERCION_SAMPLES.map(sample => [
      code(JSON.stringify(sample)),
      ...types.map(type => {
        const taken = coerce(sample, type)
        if (taken === undefined) return 'refused'
        return taken === sample ? 'as it is' : code(JSON.stringify(taken))
      }),
    ]),
  )
}

/** The members of `JobContext` with their comments, read from the source file. */
function contextTable() {
  const source = /export interface JobContext \{\n([\s\S]*?)\n\}/.exec(handlers)[1]
  const members = source.matchAll(/(?: {2}\/\*\* (.*?) \*\/\n)? {2}(?:readonly )?(\w+)(\(.*?\))?: (.*)/g)
  return table(
    ['member', 'type', 'meaning'],
    [...members].map(
      ([, comment = 'The name of the capability that is called.', name, parameters = '', type]) => [
        code(`ctx.${name}${parameters === '' ? '' : '()'}`),
        code(parameters === '' ? type : `${parameters} => ${type}`),
        cell(comment),
      ],
    ),
  )
}

function errorsTable() {
  same(Object.keys(ERROR_STATUS), Object.keys(ERROR_CLASSES), 'ERROR_CLASSES')
  return table(
    ['thrown', 'status', '`error_type`', 'meaning'],
    Object.entries(ERROR_CLASSES).map(([type, [name, meaning]]) => [
      code(name),
      String(ERROR_STATUS[type]),
      code(type),
      meaning,
    ]),
  )
}

/** A table of the limits of the protocol; a limit without a row yet is described by the comment in its source. */
function limitsTable() {
  const gone = Object.keys(LIMIT_ROWS).filter(name => !Object.hasOwn(limits, name))
  if (gone.length > 0) throw new Error(`LIMIT_ROWS: remove ${gone.join(', ')}`)
  return table(
    ['limit', 'value', 'what happens beyond it'],
    Object.keys(limits)
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .map(name => [name, Object.hasOwn(LIMIT_ROWS, name) ? LIMIT_ROWS[name] : commentedRow(name)])
      .filter(([, row]) => row !== undefined)
      .map(([name, [what, unit, beyond]]) => [what, `${grouped(limits[name])} ${unit}`.trim(), beyond]),
  )
}

/** The index of a limit's row; limits without a row come last. */
function placeOf(name) {
  const index = Object.keys(LIMIT_ROWS).indexOf(name)
  return index < 0 ? Object.keys(LIMIT_ROWS).length : index
}

function commentedRow(name) {
  const source = readFileSync(new URL('../../protocol/src/limits.ts', import.meta.url), 'utf8')
  const comment =
    new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export const ${name} `).exec(source)?.[1] ?? name
  const words = comment.replaceAll(/\s*\n \* ?/g, ' ').trim()
  const meaning = words.replace(/^(?:D\d+[a-z]?(?:, )?)+: /, '').replace(/\.$/, '')
  const unit = /_(BYTES|SECONDS|MS|CHARACTERS|STEPS)$/.exec(name)?.[1].toLowerCase() ?? ''
  return [cell(meaning), unit, '']
}

function grouped(number) {
  return number.toLocaleString('en-US')
}

function same(are, described, where) {
  const missing = are.filter(name => !described.includes(name))
  const surplus = described.filter(name => !are.includes(name))
  if (missing.length + surplus.length > 0)
    throw new Error(
      `${where}: describe ${missing.join(', ') || 'nothing more'}; remove ${surplus.join(', ') || 'nothing'}`,
    )
}

function mustBeGood(declaration, where) {
  const checked = checkDeclaration(declaration)
  const wrong = checked.ok ? checked.warnings : checked.problems
  if (wrong.length > 0) throw new Error(`${where}: ${wrong.map(formatProblem).join('; ')}`)
}

function declarationOf(fields) {
  const { capabilities, ...rest } = JSON.parse(
    readFileSync(new URL('../../../examples/first-agent/agent.json', import.meta.url), 'utf8'),
  )
  return { ...rest, capabilities: { shout: { ...capabilities.shout, input_schema: fields } } }
}

function code(value) {
  return `\`${String(value).replaceAll('|', '\\|')}\``
}

function cell(value) {
  return String(value)
    .replaceAll('|', '\\|')
    .replaceAll(' ^ and $ ', () => ' `^` and `$` ')
}

function table(head, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
