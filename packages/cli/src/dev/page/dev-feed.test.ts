import { createFakeClock } from 'farebox/testing'
import type { DevEvents, DevLine, DevView } from '@farebox/web/internal/dev-page/wire'
import { expect, test } from 'vitest'
import { createDevFeed } from './dev-feed.ts'

const JOB = '5f0c91aa-9b4d-4f6a-8c2b-1d5e7f9a0b3c'

/** A page that records the messages it receives. */
function openPage(feed: ReturnType<typeof createDevFeed>) {
  const told: { name: string; value: unknown }[] = []
  const leave = feed.subscribe((name, value) => told.push({ name, value }))
  return {
    leave,
    view: () => told.findLast(({ name }) => name === 'view')?.value as DevView,
    lines: () =>
      told.filter(({ name }) => name === 'lines').flatMap(({ value }) => (value as DevEvents['lines']).lines),
    told,
  }
}

test('the page gets the messages of the terminal: a save, a broken version, the recovery', () => {
  const feed = createDevFeed(createFakeClock())
  const page = openPage(feed)
  expect(page.view()).toMatchObject({ phase: 'loading', agent: null, version: 0 })
  feed.serving(undefined)
  expect(page.view()).toMatchObject({ phase: 'serving', version: 1, change: null })

  feed.loading()
  expect(page.view().phase).toBe('loading')
  feed.announcer.refused('\u001b[1magent.json:14:19\u001b[22m  amount: wrong\n  fix it', true)
  expect(page.view()).toMatchObject({
    phase: 'serving',
    version: 1,
    problem: {
      text: 'agent.json:14:19  amount: wrong\n  fix it',
      next: 'still serving the last good version',
    },
  })

  feed.loading()
  feed.serving(undefined)
  feed.announcer.restarted({ files: ['agent.json'], tookMs: 140, isRecovered: true })
  expect(page.view()).toMatchObject({
    phase: 'serving',
    version: 2,
    problem: null,
    change: { words: 'agent.json changed', took_ms: 140 },
  })
})

test('a broken first version leaves no agent that answers', () => {
  const feed = createDevFeed(createFakeClock())
  feed.announcer.refused('wrong', false)
  expect(openPage(feed).view()).toMatchObject({
    phase: 'idle',
    problem: { next: 'nothing is served: it is tried again at the next save' },
  })
})

test('lines are sent together, each with the job that it names; a page that connects later gets them too', async () => {
  const clock = createFakeClock()
  const feed = createDevFeed(clock)
  const page = openPage(feed)
  feed.announcer.line(`execute job=${JOB.toUpperCase()} capability=count`, 'out')
  feed.announcer.line(`{"level":"info","event":"completed","job":"${JOB}"}`, 'out')
  feed.announcer.line('\u001b[2Jhello', 'err')
  expect(page.lines()).toEqual([])
  await clock.advance(50)
  const expected: readonly Partial<DevLine>[] = [
    { id: 1, job_id: JOB, from: 'out' },
    { id: 2, job_id: JOB },
    { id: 3, job_id: null, from: 'err', text: 'hello' },
  ]
  expect(page.lines()).toMatchObject(expected)
  expect(openPage(feed).lines()).toMatchObject(expected)
})

test('a handler that writes in a loop loses lines instead of using memory', async () => {
  const clock = createFakeClock()
  const feed = createDevFeed(clock)
  const page = openPage(feed)
  for (let count = 0; count < 10_000; count += 1) feed.announcer.line(`line ${count}`, 'out')
  await clock.advance(50)
  expect(page.lines()).toHaveLength(500)
  expect(page.lines().at(-1)?.text).toBe('line 9999')
  expect(page.told.at(-1)?.value).toMatchObject({ left_out: 9_500 })
})

test('a disconnected page gets no more messages', () => {
  const feed = createDevFeed(createFakeClock())
  const page = openPage(feed)
  page.leave()
  const count = page.told.length
  feed.loading()
  expect(page.told).toHaveLength(count)
})
