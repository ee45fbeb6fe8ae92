/** Where the programs of an economy are: they are run, not imported. */
export interface EconomyPrograms {
  /** The facilitator's main file. */
  readonly facilitator: string
  /** The runtime's `farebox` program. */
  readonly farebox: string
}
