export function drawReliability(root: string): void
