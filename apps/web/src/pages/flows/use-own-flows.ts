import type { FlowsAnswer } from '@farebox/platform-api/flows/saved-flows'
import { sumFlow } from '../../flows/describe/sum-flow.ts'
import { onLeft, useRead } from '../../site/question.ts'
import type { Draft } from '../../kept/draft.ts'

/** A flow in the list, wherever it is stored. */
export interface OwnFlowEntry {
  readonly url: string
  readonly name: string
  /** The number of paid steps. */
  readonly steps: number
  /** Decimal USDC. */
  readonly price: string
  /** Unix seconds. */
  readonly changedAt: number
  readonly isBroken: boolean
  /** A phrase that says where it is stored. */
  readonly where: string
  /** The id of the draft in this browser. */
  readonly draftId?: string
}

/** The drafts of this browser and the saved flows, the most recently changed first. Undefined until they have been read. */
export function useOwnFlows(saved: FlowsAnswer['flows']): {
  readonly flows: readonly OwnFlowEntry[] | undefined
  readonly remove: (draftId: string) => void
} {
  const { answer, failure } = useRead<readonly Draft[]>('drafts', async (signal, give) => {
    const [{ listDrafts, watchDrafts }, { keepLeftBehind }] = await Promise.all([
      import('../../kept/draft-store.ts'),
      import('../../kept/keep-left-behind.ts'),
    ])
    await keepLeftBehind()
    give(await listDrafts())
    onLeft(
      signal,
      watchDrafts(() => void listDrafts().then(give)),
    )
    return undefined
  })
  // A browser that cannot store anything has no drafts.
  const drafts = answer ?? (failure === undefined ? undefined : [])
  const remove = (draftId: string): void => {
    import('../../kept/draft-store.ts').then(
      ({ removeDraft }) => removeDraft(draftId),
      () => undefined,
    )
  }
  return { flows: drafts === undefined ? undefined : merge(drafts, saved), remove }
}

function merge(drafts: readonly Draft[], saved: FlowsAnswer['flows']): readonly OwnFlowEntry[] {
  // If a saved flow has a changed draft here, the owner wants to see the draft.
  const changed = new Set(drafts.flatMap(draft => draft.saved?.flow_id ?? []))
  const flows = [
    ...drafts.map(({ draft_id: draftId, flow, changed_at: changedAt, saved: mine, is_ahead: isAhead }) => ({
      url: `/flows/${draftId}`,
      name: flow.name,
      ...sumFlow(flow),
      changedAt,
      isBroken: false,
      where:
        mine === undefined
          ? 'in this browser'
          : isAhead === true
            ? 'saved, with unsaved changes in this browser'
            : 'saved in your account',
      draftId,
    })),
    ...saved
      .filter(({ flow_id: id }) => !changed.has(id))
      .map(({ flow_id: id, name, jobs, price, changed_at: changedAt, broken }) => ({
        url: `/flows/${id}`,
        name,
        steps: jobs,
        price,
        changedAt,
        isBroken: broken,
        where: 'saved in your account',
      })),
  ]
  return flows.toSorted((one, other) => other.changedAt - one.changedAt)
}
