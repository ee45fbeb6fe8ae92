import { askOf } from 'farebox/src/jobs/test-setup/redis-groups'

/** The job store of agents: those with the same one share their jobs. */
export interface StageStore {
  /** Value of `SERVICE_STORE`. */
  readonly setting: string
  /** The prefix of its keys. */
  readonly tag: string
  /** The number of saved responses whose payments are open. */
  countSaved(): Promise<number>
}

/** Creates it, in the Redis whose primary has this port. */
export function createStore({
  setting,
  tag,
  primary,
}: Pick<StageStore, 'setting' | 'tag'> & { primary(): Promise<number> | number }): StageStore {
  return {
    setting,
    tag,
    // The set in which agents find the open jobs of a dead process.
    countSaved: async () => Number(await askOf(await primary(), 'ZCARD', `${tag}saved`)),
  }
}
