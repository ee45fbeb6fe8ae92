import { useEffect, useState } from 'react'

/** What the receipt of a job is known by: SHA-256 of the job's id. Undefined until it is worked out. */
export function useReceiptHash(jobId: string): string | undefined {
  const [hash, setHash] = useState<string>()
  useEffect(() => {
    let isGone = false
    void import('@noble/hashes/sha2.js').then(async ({ sha256 }) => {
      const { bytesToHex, utf8ToBytes } = await import('@noble/hashes/utils.js')
      if (!isGone) setHash(bytesToHex(sha256(utf8ToBytes(jobId.toLowerCase()))))
    })
    return () => {
      isGone = true
    }
  }, [jobId])
  return hash
}
