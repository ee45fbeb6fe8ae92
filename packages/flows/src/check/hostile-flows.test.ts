import { cpuRatio } from '@farebox/protocol/src/test-setup/cpu-ratio'
import { expect, test } from 'vitest'
import { MAX_FLOW_CHARACTERS } from '../document/flow-limits.ts'
import { readFlow } from '../document/read-flow.ts'
import { HEAVY_AGENTS, HEAVY_CATALOG, hostileFlows } from '../test-setup/hostile-flows.ts'
import { LARGE_FLOW } from '../test-setup/sample-flows.ts'
import { checkFlow } from './check-flow.ts'

/** The limit as a multiple of serializing and parsing the flow, which takes some ten milliseconds for a megabyte. */
const MOST_TIMES_AS_LONG = 150

const asJson = (document: unknown) => (): unknown => JSON.parse(JSON.stringify(document))

test.each(hostileFlows())(
  'a flow of a megabyte is read and checked in little time, with an answer of moderate size: %s',
  (_, make) => {
    const document = make()
    expect(JSON.stringify(document).length).toBeLessThan(MAX_FLOW_CHARACTERS)
    let read = readFlow({})
    let checked: unknown
    const readAndCheck = (): void => {
      read = readFlow(document)
      checked = read.ok ? checkFlow(read.flow) : read
    }
    // Only one round: caches of the first one would make the second one fast.
    expect(cpuRatio(readAndCheck, asJson(document), MOST_TIMES_AS_LONG, 1)).toBeLessThan(MOST_TIMES_AS_LONG)
    expect(read.ok ? [] : read.problems.slice(100)).toEqual([])
    expect(JSON.stringify(checked).length).toBeLessThan(3 * MAX_FLOW_CHARACTERS)
  },
)

test('two hundred agents whose patterns take long to compile are checked in a short time', () => {
  const control = asJson(hostileFlows()[0]?.[1]())
  const check = (): unknown => checkFlow(HEAVY_AGENTS, { catalog: HEAVY_CATALOG })
  expect(cpuRatio(check, control, MOST_TIMES_AS_LONG, 1)).toBeLessThan(MOST_TIMES_AS_LONG)
})

test('endless nesting is refused, not followed', () => {
  let nested: unknown = 1
  for (let depth = 0; depth < 100_000; depth += 1) nested = [nested]
  const read = readFlow({ flow_version: 1, steps: { a: { kind: 'constant', value: nested } } })
  expect(read.ok ? '' : read.problems[0]?.reason).toMatch(/must not be nested deeper than 64 levels/)
})

test('wires that would take too long to compare are graded lossy; earlier ones are compared', () => {
  const read = readFlow(hostileFlows()[2]?.[1]())
  if (!read.ok) throw new Error(JSON.stringify(read.problems[0]))
  const grades = checkFlow(read.flow).wires.map(({ grade }) => grade)
  const compared = grades.indexOf('lossy')
  expect(compared).toBeGreaterThan(0)
  expect(new Set(grades.slice(0, compared))).toEqual(new Set(['impossible']))
  expect(new Set(grades.slice(compared))).toEqual(new Set(['lossy']))
})

test('of very many findings the first thousand are listed, with the number of the others', () => {
  const read = readFlow(hostileFlows()[0]?.[1]())
  if (!read.ok) throw new Error(JSON.stringify(read.problems[0]))
  const { ok, findings } = checkFlow(read.flow)
  expect(ok).toBe(false)
  expect(findings).toHaveLength(1_001)
  expect(findings.at(-1)?.message).toBe('13040 more findings are not listed.')
  expect(findings[0]?.repairs.length).toBeGreaterThan(1)
})

test('two hundred ordinary steps are checked in little more time than JSON takes', () => {
  expect(checkFlow(LARGE_FLOW).ok).toBe(true)
  expect(cpuRatio(() => checkFlow(LARGE_FLOW), asJson(LARGE_FLOW), 20)).toBeLessThan(20)
})
