export function formatSpan(seconds: number): string
