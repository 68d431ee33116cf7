/** The refs of a project by their full names: anything shorter may mean something else to Git. */
export const mainRef = 'refs/heads/main'
export const branchPrefix = 'refs/heads/'
/** Below it, every commit that was or is live, by the number of its deploy. */
export const deployPrefix = 'refs/deploys/'

export function branchRef(name: string): string {
  return `${branchPrefix}${name}`
}

export function deployRef(number: number): string {
  return `${deployPrefix}${number}`
}
