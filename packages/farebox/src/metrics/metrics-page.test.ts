import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createAgentInstruments } from './agent-instruments.ts'

const PAGE = readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8')

const READINGS = {
  jobsHeld: () => 0,
  settlementsUnknown: () => 0,
  oldestUnknownSeconds: () => 0,
  clockSkewSeconds: () => 0,
}

test('docs/metrics.md has every registered metric of the agent, and no other', async () => {
  const registered = await createAgentInstruments(READINGS).registry.getMetricsAsJSON()
  const rows = registered
    .filter(({ name }) => !/^farebox_agent_(?:process|nodejs)_/.test(name))
    .map(({ name, type, help }) => [name, type, help])
  expect(rowsOf('farebox_agent_').map(({ name, type, meaning }) => [name, type, meaning])).toEqual(rows)
})

test('docs/metrics.md has the labels of every metric', () => {
  const { registry } = createAgentInstruments(READINGS)
  for (const { name, labels } of rowsOf('farebox_agent_'))
    expect({ name, labels }).toEqual({ name, labels: labelsOf(registry.getSingleMetric(name)) })
})

test('the alerts of docs/metrics.md use existing metrics', async () => {
  const known = [...(await createAgentInstruments(READINGS).registry.getMetricsAsJSON())].map(
    ({ name }) => name,
  )
  const alerted = [...PAGE.matchAll(/expr: .*?(farebox_agent_\w+)/g)].map(([, name]) => name)
  expect(alerted.length).toBeGreaterThan(3)
  for (const name of alerted) expect(known).toContain(name)
})

/** The rows of the page: metric, type, labels, unit, meaning, when to look. */
function rowsOf(prefix: string) {
  return [...PAGE.matchAll(/^\| `(\w+)` \| (\w+) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$/gm)]
    .map(([, name = '', type = '', labels = '', unit = '', meaning = '']) => ({
      name,
      type,
      labels,
      unit,
      meaning,
    }))
    .filter(({ name }) => name.startsWith(prefix))
}

/** The label names of a metric; prom-client's types do not declare them. */
function labelsOf(metric: unknown): string {
  const { labelNames } = metric as { readonly labelNames: readonly string[] }
  return labelNames.length === 0 ? '–' : labelNames.map(name => `\`${name}\``).join(', ')
}
