// Preloaded into the process that forks children: has each try to open the memory of the others, and say what came of it.
const { openSync, readdirSync, readFileSync, readlinkSync, writeSync } = require('node:fs')

function isRenderer(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('render-child')
  } catch {
    return false
  }
}

function pry(pid) {
  try {
    openSync(`/proc/${pid}/mem`, 'r+')
    return 'opened'
  } catch (error) {
    return error.code
  }
}

// Only children call it.
const disconnect = process.disconnect.bind(process)
process.disconnect = () => {
  disconnect()
  const own = readlinkSync('/proc/self')
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== own && isRenderer(name))
  writeSync(2, JSON.stringify(Object.fromEntries(others.map((pid) => [pid, pry(pid)]))))
}
