import type { Command } from 'commander'

/** Adds flags, arguments and what is run to a command. */
export type Define = (command: Command) => void

const loaders = new WeakMap<Command, () => Promise<Define>>()

/** A command whose module is loaded when it is called: a start loads what it needs, and nothing else. */
export function defineLater(command: Command, load: () => Promise<Define>): void {
  loaders.set(command, load)
}

/** Loads what a command does, once. */
export async function loadCommand(command: Command): Promise<void> {
  const load = loaders.get(command)
  loaders.delete(command)
  if (load === undefined) return
  const define = await load()
  define(command)
}
