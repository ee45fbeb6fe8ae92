/** Identifies one holder of one job. */
export interface Holder {
  readonly jobKey: string
  /** Unique to one claim. */
  readonly fence: string
}
