import type { Flow } from '@farebox/flows/document/flow'
import type { SavedFlow } from '@farebox/platform-api/flows/saved-flows'
import { expect, test } from 'vitest'
import { createDraft, type Draft } from '../../kept/draft.ts'
import { ApiFailure } from '../../site/ask.ts'
import { createAutosave, type AutosaveOptions, type DraftKeeper, type FlowSaver } from './autosave.ts'
import { createFlowStore } from './flow-store.ts'

const FLOW: Flow = {
  flow_version: 1,
  name: 'A flow',
  inputs: {},
  outputs: [],
  steps: { words: { kind: 'template', text: 'Hello' } },
  wires: [],
}

/** A browser that keeps drafts in memory. */
function createKeeper(): DraftKeeper & { readonly kept: Map<string, Draft> } {
  const kept = new Map<string, Draft>()
  return {
    kept,
    async keep(draft, before) {
      const found = kept.get(draft.draft_id)
      if (found !== undefined && found.changed_at !== before) return found
      kept.set(draft.draft_id, draft)
      return draft
    },
  }
}

/** A platform that saves flows. While `refuse` is set, it refuses every request with that status. */
function createPlatform() {
  const flows = new Map<string, SavedFlow>()
  const platform = { refuse: undefined as number | undefined, saved: 0 }
  const put = (flowId: string, flow: Flow, revision: number): SavedFlow => {
    platform.saved += 1
    const saved = {
      flow_id: flowId,
      name: flow.name,
      revision,
      version: 1,
      flow: flow as unknown as SavedFlow['flow'],
      created_at: 1,
      changed_at: 2,
      share_id: null,
    }
    flows.set(flowId, saved)
    return saved
  }
  const fail = (status: number): never => {
    throw new ApiFailure('refused', { status, type: 'internal' })
  }
  const saver: FlowSaver = {
    async create(flow) {
      return platform.refuse === undefined ? put('flow-1', flow, 1) : fail(platform.refuse)
    },
    async update(flowId, flow, revision) {
      if (platform.refuse !== undefined) return fail(platform.refuse)
      return flows.get(flowId)?.revision === revision ? put(flowId, flow, revision + 1) : fail(409)
    },
    async read(flowId) {
      return flows.get(flowId) ?? fail(404)
    },
  }
  return Object.assign(platform, { flows, saver, put })
}

/** Opens an editor with a clock that the test advances. */
function open(given: Partial<AutosaveOptions> = {}) {
  const keeper = createKeeper()
  const store = createFlowStore(given.draft?.flow ?? FLOW)
  const waiting = new Set<() => void>()
  const branched: Draft[] = []
  let now = 1_000
  const autosave = createAutosave({
    store,
    draft: createDraft(FLOW),
    isKept: false,
    isSaved: false,
    keeper,
    saver: undefined,
    now: () => (now += 1),
    later(_, work) {
      waiting.add(work)
      return () => waiting.delete(work)
    },
    onBranched: draft => branched.push(draft),
    ...given,
  })
  autosave.start()
  return {
    autosave,
    store,
    keeper,
    branched,
    rename: (name: string) => store.edit([{ edit: 'rename-flow', name }]),
    /** Runs all scheduled work, including the work that it schedules. */
    async pass(): Promise<void> {
      for (let rounds = 0; rounds < 4; rounds += 1) {
        const due = [...waiting]
        waiting.clear()
        for (const work of due) work()
        await autosave.flush()
      }
    },
  }
}

test('a flow without changes is not stored', async () => {
  const { autosave, keeper, store, pass } = open()
  store.select(['words'])
  await pass()
  expect([autosave.status().is, keeper.kept.size]).toEqual(['fresh', 0])
})

test('a change is stored in the browser, and the status says so while the reader is signed out', async () => {
  const { autosave, keeper, rename, pass } = open()
  rename('Renamed')
  await pass()
  expect(keeper.kept.get(autosave.draft().draft_id)?.flow.name).toBe('Renamed')
  expect(autosave.status()).toMatchObject({ is: 'kept', behind: 'signed-out' })
})

test('from the first change on, a flow of a signed-in reader is also saved on the platform', async () => {
  const platform = createPlatform()
  const { autosave, keeper, rename, pass } = open({ saver: platform.saver })
  rename('One')
  await pass()
  expect(autosave.status().is).toBe('saved')
  rename('Two')
  await pass()
  expect(platform.flows.get('flow-1')).toMatchObject({ name: 'Two', revision: 2 })
  expect(keeper.kept.get(autosave.draft().draft_id)).toMatchObject({
    saved: { flow_id: 'flow-1', revision: 2 },
    is_ahead: false,
  })
})

test('a flow is stored in the browser while the platform does not answer, and is saved once it answers', async () => {
  const platform = createPlatform()
  platform.refuse = 503
  const { autosave, rename, pass } = open({ saver: platform.saver })
  rename('One')
  await pass()
  expect(autosave.status()).toMatchObject({ is: 'kept', behind: 'no-answer' })
  platform.refuse = undefined
  await pass()
  expect([autosave.status().is, platform.flows.get('flow-1')?.name]).toEqual(['saved', 'One'])
})

test('after a session has ended, the platform is not asked again', async () => {
  const platform = createPlatform()
  platform.refuse = 401
  const { autosave, rename, pass } = open({ saver: platform.saver })
  rename('One')
  await pass()
  platform.refuse = undefined
  rename('Two')
  await pass()
  expect(autosave.status()).toMatchObject({ is: 'kept', behind: 'signed-out' })
  expect(platform.saved).toBe(0)
})

/** Opens a flow and saves another revision of it elsewhere. */
async function openInConflict() {
  const platform = createPlatform()
  const opened = open({ saver: platform.saver })
  opened.rename('Mine')
  await opened.pass()
  platform.put('flow-1', { ...FLOW, name: 'Theirs' }, 7)
  opened.rename('Mine again')
  await opened.pass()
  return { ...opened, platform }
}

test('a flow that was saved elsewhere is not overwritten: both versions are kept until the reader chooses', async () => {
  const { autosave, keeper, platform } = await openInConflict()
  expect(autosave.status()).toMatchObject({ is: 'conflict', theirs: { name: 'Theirs', revision: 7 } })
  expect(platform.flows.get('flow-1')?.name).toBe('Theirs')
  expect(keeper.kept.get(autosave.draft().draft_id)?.flow.name).toBe('Mine again')
})

test('in a conflict, the own version can be saved over the other one', async () => {
  const { autosave, platform } = await openInConflict()
  await autosave.choose('mine')
  expect(platform.flows.get('flow-1')).toMatchObject({ name: 'Mine again', revision: 8 })
  expect(autosave.status().is).toBe('saved')
})

test('in a conflict, the other version can be opened, and the own version becomes a separate draft', async () => {
  const { autosave, store, keeper, platform } = await openInConflict()
  const copy = await autosave.choose('theirs')
  expect(store.state().flow.name).toBe('Theirs')
  expect(keeper.kept.get(copy?.draft_id ?? '')?.flow.name).toBe('Mine again (copy)')
  expect(platform.flows.get('flow-1')?.revision).toBe(7)
})

test('two tabs that change one flow at the same time both keep their changes', async () => {
  const { autosave, keeper, branched, rename, pass } = open()
  rename('Here')
  await pass()
  const first = autosave.draft()
  keeper.kept.set(first.draft_id, { ...first, flow: { ...FLOW, name: 'There' }, changed_at: 9_000 })
  rename('Here again')
  await pass()
  expect(keeper.kept.get(first.draft_id)?.flow.name).toBe('There')
  expect(branched[0]?.draft_id).not.toBe(first.draft_id)
  expect(keeper.kept.get(autosave.draft().draft_id)?.flow.name).toBe('Here again (copy)')
})

test('a change of another tab is taken over if nothing was changed here', async () => {
  const { autosave, store, rename, pass } = open()
  rename('Here')
  await pass()
  autosave.takeOver({ ...autosave.draft(), flow: { ...FLOW, name: 'There' }, changed_at: 9_000 })
  expect(store.state().flow.name).toBe('There')
  rename('Here again')
  autosave.takeOver({ ...autosave.draft(), flow: { ...FLOW, name: 'There again' }, changed_at: 9_001 })
  expect(store.state().flow.name).toBe('Here again')
})

test('the status says when a browser cannot store the flow', async () => {
  const keeper: DraftKeeper = { keep: () => Promise.reject(new Error('no room')) }
  const { autosave, rename, pass } = open({ keeper })
  rename('One')
  await pass()
  expect(autosave.status().is).toBe('lost')
})
