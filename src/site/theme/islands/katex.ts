/** Stands for KaTeX in browsers: formulas are set when a site is built. */
export function renderToString(): never {
  throw new Error('Formulas are set when the site is built')
}
