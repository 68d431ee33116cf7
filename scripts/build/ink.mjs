// Ink waits while it is loaded, for its layout and for tools of developers; a program that is compiled ahead is loaded in
// one go. Here its layout is made without waiting, which also spares it a way through `fetch`, and the tools stay out.

const encoded = /"data:application\/octet-stream;base64,([^"]+)"/

/** What is told from the sources of packages, each by the end of its name. */
const changes = {
  'yoga-layout/dist/binaries/yoga-wasm-base64-esm.js': (code) => {
    const [whole, data] = encoded.exec(code) ?? []
    return data && `${code.replace(whole, '"data:application/octet-stream;base64,"')}\nexport const bytes = "${data}"`
  },
  'yoga-layout/dist/src/index.js': (code) =>
    code.includes('wrapAssembly(await loadYoga())') &&
    `import loadYoga, { bytes } from '../binaries/yoga-wasm-base64-esm.js'
import wrapAssembly from './wrapAssembly.js'
const instantiateWasm = (imports, receive) => {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(bytes, 'base64')), imports)
  receive(instance)
  return instance.exports
}
const assembly = { instantiateWasm }
loadYoga(assembly)
export default wrapAssembly(assembly)
export * from './generated/YGEnums.js'
`,
  'ink/build/reconciler.js': (code) =>
    code
      .replace("await import('./devtools.js')", 'undefined')
      .replace('? await loadPackageJson()\n    : {', '? undefined\n    : {'),
}

/** A plugin for Rolldown. A package that has changed such that this does not fit any more fails the build. */
export const ink = {
  name: 'ink',
  transform(code, id) {
    const [name, change] = Object.entries(changes).find(([end]) => id.endsWith(`/node_modules/${end}`)) ?? []
    if (name === undefined) return null
    const changed = change(code)
    if (!changed || changed === code || /\bawait (?:import\('\.\/devtools|loadPackageJson\()/.test(changed))
      throw new Error(`${name} is another than scripts/build/ink.mjs knows.`)
    return { code: changed, map: { mappings: '' } }
  },
}
