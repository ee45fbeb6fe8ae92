export function drawPages(root: string): void
