import { useRead } from '../site/question.ts'

/** The hash that identifies a job's receipt: SHA-256 of the job's id. Undefined until it is computed. */
export function useReceiptHash(jobId: string): string | undefined {
  const { answer } = useRead(jobId, async () => {
    const { sha256 } = await import('@noble/hashes/sha2.js')
    const { bytesToHex, utf8ToBytes } = await import('@noble/hashes/utils.js')
    return bytesToHex(sha256(utf8ToBytes(jobId.toLowerCase())))
  })
  return answer
}
