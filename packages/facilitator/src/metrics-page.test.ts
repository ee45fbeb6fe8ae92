import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createFacilitatorMetrics } from './metrics.ts'

const PAGE = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')

test('docs/metrics.md has every metric of the facilitator as it is registered, and no other', async () => {
  const registered = await createFacilitatorMetrics().registry.getMetricsAsJSON()
  const rows = registered
    .filter(({ name }) => !/^farebox_facilitator_(?:process|nodejs)_/.test(name))
    .map(({ name, type, help }) => [name, type, help])
  expect(rowsOf('farebox_facilitator_').map(({ name, type, meaning }) => [name, type, meaning])).toEqual(rows)
})

test('docs/metrics.md has the labels of every metric', () => {
  const { registry } = createFacilitatorMetrics()
  for (const { name, labels } of rowsOf('farebox_facilitator_'))
    expect({ name, labels }).toEqual({ name, labels: labelsOf(registry.getSingleMetric(name)) })
})

test('the alerts of docs/metrics.md are on metrics that exist', async () => {
  const known = [...(await createFacilitatorMetrics().registry.getMetricsAsJSON())].map(({ name }) => name)
  const alerted = [...PAGE.matchAll(/expr: .*?(farebox_facilitator_\w+)/g)].map(([, name]) => name)
  expect(alerted.length).toBeGreaterThan(3)
  for (const name of alerted) expect(known).toContain(name)
})

/** The rows of the page: metric, type, labels, unit, meaning, alert threshold. */
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

/** prom-client has the labels, but not in its types. */
function labelsOf(metric: unknown): string {
  const { labelNames } = metric as { readonly labelNames: readonly string[] }
  return labelNames.length === 0 ? '–' : labelNames.map(name => `\`${name}\``).join(', ')
}
