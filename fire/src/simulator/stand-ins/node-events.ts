/** Stands in for `node:events`: the signals of histories count no listeners. */
export function setMaxListeners(): void {
  // There is nothing to set.
}
