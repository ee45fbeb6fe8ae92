import type { CapabilitiesAnswer, OfferedCapability } from '@farebox/platform-api/flows/capabilities'
import type { Page } from 'playwright-core'
import { drawWire, fit, importFlow, portOf } from '../stage/web/builder.ts'
import { settled, type Scene } from './scene.ts'
import type { ShotsStage } from './shots-stage.ts'

/** Adds a step from the current suggestions. */
async function findJobs({ url }: ShotsStage) {
  const answer = await fetch(`${url}/v1/capabilities?limit=50`)
  const { capabilities } = (await answer.json()) as CapabilitiesAnswer
  return (name: string, capability: string) => {
    const found = capabilities.find(one => one.pinned?.agent_name === name && one.capability === capability)
    if (found?.pinned === undefined || found.pinned === null) throw new Error(`no ${name} ${capability}`)
    return { kind: 'job', agent_id: found.agent_id, capability, pinned: found.pinned }
  }
}

/** This many steps, each with an output of the previous one. */
async function chain(stage: ShotsStage, count: number): Promise<unknown> {
  const job = await findJobs(stage)
  const ids = Array.from({ length: count }, (_, index) => `step-${index + 1}`)
  const isJob = (index: number): boolean => index % 2 === 0
  return {
    flow_version: 1,
    name: `${count} steps`,
    inputs: { text: { type: 'string', required: true, maxLength: 40 } },
    outputs: ['text'],
    steps: Object.fromEntries(
      ids.map((id, index) => [
        id,
        isJob(index) ? job('Teller', 'count') : { kind: 'template', text: 'about {words} words' },
      ]),
    ),
    wires: ids.flatMap((id, index) => {
      const before = ids[index - 1]
      const from = before === undefined ? 'input' : before
      const port = before === undefined || !isJob(index - 1) ? 'text' : 'words'
      const wire = { from: { step: from, port }, to: { step: id, port: isJob(index) ? 'text' : 'words' } }
      const last = {
        from: { step: id, port: isJob(index) ? 'words' : 'text' },
        to: { step: 'output', port: 'text' },
      }
      return index === count - 1 ? [wire, last] : [wire]
    }),
  }
}

/** Three agents and a template; an output of one of them has been renamed since. */
async function articleCard(stage: ShotsStage, isChanged: boolean): Promise<unknown> {
  const job = await findJobs(stage)
  const count = job('Text statistics', 'count')
  const wires = [
    'input.article > summary.text',
    'input.length > summary.sentences',
    'input.article > statistics.text',
    'input.link > qr.text',
    'summary.summary > card.summary',
    'statistics.words > card.words',
    `statistics.${isChanged ? 'reading_secs' : 'reading_seconds'} > card.seconds`,
    'card.text > output.card',
    'qr.svg > output.svg',
  ]
  return {
    flow_version: 1,
    name: 'Article card',
    inputs: {
      article: { type: 'string', required: true, minLength: 20, maxLength: 20_000 },
      length: { type: 'number' },
      link: { type: 'string', required: true, minLength: 1, maxLength: 1_200 },
    },
    outputs: ['card', 'svg'],
    steps: {
      summary: job('Summary', 'summarize'),
      statistics: {
        ...count,
        pinned: isChanged ? renamed(count.pinned) : count.pinned,
        constants: { words_per_minute: 220 },
      },
      qr: { ...job('QR code', 'encode'), constants: { error_correction: 'high' } },
      card: { kind: 'template', text: '{summary} · {words} words, {seconds} s' },
    },
    wires: wires.map(wire => {
      const [from, to] = wire.split(' > ').map(end => {
        const [step, port] = end.split('.')
        return { step, port }
      })
      return { from, to }
    }),
  }
}

/** The earlier version of the capability. */
function renamed(pinned: NonNullable<OfferedCapability['pinned']>): unknown {
  const { reading_seconds: seconds, ...others } = pinned.output_schema
  return { ...pinned, hash: 'a'.repeat(64), output_schema: { ...others, reading_secs: seconds } }
}

async function open(page: Page, stage: ShotsStage, isChanged = false): Promise<void> {
  await page.goto('/flows/new')
  await settled(page)
  await importFlow(page, await articleCard(stage, isChanged))
  await settled(page)
}

/** Whether there is a canvas: on a phone a flow is shown as its outline. */
async function hasCanvas(page: Page): Promise<boolean> {
  return await page.getByRole('region', { name: 'Canvas' }).isVisible()
}

/** The builder, in all its states. */
export const BUILDER_SCENES: readonly Scene[] = [
  ...[6, 10, 24].map(count => ({
    name: `builder-${count}-steps`,
    async reach(page: Page, stage: ShotsStage) {
      await page.goto('/flows/new')
      await settled(page)
      await importFlow(page, await chain(stage, count))
      await settled(page)
    },
  })),
  {
    name: 'builder-new',
    async reach(page) {
      await page.goto('/flows/new')
      await settled(page)
    },
  },
  {
    name: 'builder',
    async reach(page, stage) {
      await open(page, stage)
      if (await hasCanvas(page)) await fit(page)
    },
  },
  {
    name: 'builder-changed',
    async reach(page, stage) {
      await open(page, stage, true)
      if (await hasCanvas(page)) await fit(page)
    },
  },
  {
    name: 'builder-connect',
    async reach(page, stage) {
      await open(page, stage)
      if (await hasCanvas(page)) {
        await fit(page)
        await drawWire(page, portOf(page, 'Summary', 'out', 'summary'))
      } else await page.getByRole('button', { name: 'Add a step' }).click()
      await page.getByRole('listbox').getByRole('option').first().waitFor()
      await settled(page)
    },
  },
  {
    name: 'builder-step',
    async reach(page, stage) {
      await open(page, stage)
      if (await hasCanvas(page)) {
        await fit(page)
        await page.getByRole('button', { name: 'Settings for Text statistics' }).click()
      }
      await page.getByText('Outputs, name, and more').first().click()
    },
  },
  {
    name: 'builder-dry-run',
    async reach(page, stage) {
      await open(page, stage)
      await page.getByRole('button', { name: 'Dry run, free' }).click()
      await page.getByText('These are sample values. No agents were called').waitFor()
      if (await hasCanvas(page)) await fit(page)
    },
  },
  {
    name: 'builder-outline',
    async reach(page, stage) {
      await open(page, stage)
      await page.getByRole('button', { name: 'Outline' }).click()
    },
  },
]
