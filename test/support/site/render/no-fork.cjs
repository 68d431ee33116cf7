// Preloaded into the process that forks children: as where the package that reaches the C library has no build.
const Module = require('node:module')

const load = Reflect.get(Module.prototype, 'require')
Module.prototype.require = function require(name) {
  if (name === 'koffi') throw new Error('no build of koffi for this platform')
  return load.call(this, name)
}
