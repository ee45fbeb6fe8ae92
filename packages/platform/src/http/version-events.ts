import type { ServerEvent } from './route.ts'

/** What is shown of a thing, again after each change. */
export interface ShownVersion<Thing> {
  /** The name of the events. */
  readonly event: string
  /** Undefined: it is gone. */
  read(): Promise<Thing | undefined>
  describe(thing: Thing): Promise<ServerEvent['data']>
  /** Whether nothing more can come of it. */
  isOver(thing: Thing): boolean
}

/** An event for each version of a thing, but not for the first where that is the one that was `seen`. */
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
