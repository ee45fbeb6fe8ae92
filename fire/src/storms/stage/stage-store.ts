import { askOf } from 'farebox/src/jobs/test-setup/redis-groups'

/** Where agents keep their jobs: those with the same one share them. */
export interface StageStore {
  /** Value of `SERVICE_STORE`. */
  readonly setting: string
  /** What its keys begin with. */
  readonly tag: string
  /** The number of responses that wait for the end of their payments. */
  countSaved(): Promise<number>
}

/** Makes it, in the Redis whose primary has this port. */
export function createStore({
  setting,
  tag,
  primary,
}: Pick<StageStore, 'setting' | 'tag'> & { primary(): Promise<number> | number }): StageStore {
  return {
    setting,
    tag,
    // The set in which agents find what a dead process left.
    countSaved: async () => Number(await askOf(await primary(), 'ZCARD', `${tag}saved`)),
  }
}
