/**
 * A function that does its work on the first call; every further call shares that one's result. For `stop`
 * functions: a second one must not touch what somebody else has started since.
 */
export function callOnce<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return async () => {
    result ??= work()
    return await result
  }
}
