import type { ServerEvent } from './route.ts'

/** How the versions of a resource are read and sent as events. */
export interface ShownVersion<Thing> {
  /** The name of the events. */
  readonly event: string
  /** `undefined` when the resource no longer exists. */
  read(): Promise<Thing | undefined>
  describe(thing: Thing): Promise<ServerEvent['data']>
  /** Whether no further change is possible. */
  isOver(thing: Thing): boolean
}

/** Yields an event for each version of a resource, except for the first version if its id equals `seen`. */
export async function* versionEvents<Thing>(
  versions: AsyncIterable<string>,
  seen: string | undefined,
  { event, read, describe, isOver }: ShownVersion<Thing>,
): AsyncGenerator<ServerEvent> {
  let isFirst = true
  for await (const id of versions) {
    const thing = await read()
    if (thing === undefined) return
    if (!isFirst || id !== seen) yield { event, id, data: await describe(thing) }
    if (isOver(thing)) return
    isFirst = false
  }
}
