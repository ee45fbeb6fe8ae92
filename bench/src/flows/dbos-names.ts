export const DBOS_APP = 'farebox-bench'
export const DBOS_QUEUE = 'runs'
export const DBOS_WORKFLOW = 'three-steps'
