/**
 * Returns a function that does its work on the first call; every further call returns the same result. For `stop`
 * functions: a second call must not affect something that was started in the meantime.
 */
export function callOnce<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return async () => {
    result ??= work()
    return await result
  }
}
