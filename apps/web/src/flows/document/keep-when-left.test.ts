import type { Flow } from '@farebox/flows/document/flow'
import { expect, test } from 'vitest'
import { createDraft, type Draft } from '../../kept/draft.ts'
import { createAutosave } from './autosave.ts'
import { createFlowStore } from './flow-store.ts'
import { keepWhenLeft } from './keep-when-left.ts'

const FLOW: Flow = {
  flow_version: 1,
  name: 'A flow',
  inputs: {},
  outputs: [],
  steps: { words: { kind: 'template', text: 'Hello' } },
  wires: [],
}

/** A page whose database never answers, as after the page has been closed. */
function open() {
  const left: Draft[] = []
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  const window = new EventTarget()
  const store = createFlowStore(FLOW)
  const autosave = createAutosave({
    store,
    draft: createDraft(FLOW),
    isKept: false,
    isSaved: false,
    keeper: { keep: () => new Promise(() => undefined) },
    saver: undefined,
    now: () => 1_000,
    later: () => () => undefined,
    onBranched: () => undefined,
  })
  const stop = keepWhenLeft(store, autosave, {
    window,
    document,
    leave: draft => left.push(draft),
    now: () => 1_000,
  })
  return {
    autosave,
    left,
    stop,
    rename: (name: string) => store.edit([{ edit: 'rename-flow', name }]),
    close: () => window.dispatchEvent(new Event('pagehide')),
    show(state: 'visible' | 'hidden') {
      document.visibilityState = state
      document.dispatchEvent(new Event('visibilitychange'))
    },
  }
}

test('a change right before a page is closed is saved for the next visit, newer than the stored draft', () => {
  const { autosave, left, rename, close } = open()
  rename('Renamed')
  close()
  expect(left).toMatchObject([{ flow: { name: 'Renamed' }, is_ahead: true }])
  expect(left[0]?.draft_id).toBe(autosave.draft().draft_id)
  expect(left[0]?.changed_at).toBeGreaterThan(autosave.draft().changed_at)
})

test('a change right before a page is hidden is saved for the next visit; a page that is shown again saves nothing', () => {
  const { left, rename, show } = open()
  rename('Renamed')
  show('hidden')
  expect(left.map(({ flow }) => flow.name)).toEqual(['Renamed'])
  rename('Renamed again')
  show('visible')
  expect(left).toHaveLength(1)
})

test('a page whose changes are all stored, or whose flow is no longer open, saves nothing', () => {
  const { left, rename, close, stop } = open()
  close()
  stop()
  rename('Renamed')
  close()
  expect(left).toEqual([])
})
