// Rules of this house that the linter does not bring: one dialect for what is private and for the names of constants.

/** `#name` is private when the program runs, too. A constructor cannot have it. */
const privateMembers = {
  create: (context) => {
    const check = (node) => {
      if (node.kind !== 'constructor' && (node.accessibility === 'private' || node.accessibility === 'protected'))
        context.report({ node, message: `Write #name instead of \`${node.accessibility}\`.` })
    }
    return { PropertyDefinition: check, MethodDefinition: check }
  },
}

const screaming = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/

/** Constants are named like everything else: `maxAttempts`, not `MAX_ATTEMPTS`. */
const constantNames = {
  create: (context) => ({
    VariableDeclarator: ({ id }) => {
      if (id.type === 'Identifier' && id.name.length > 1 && screaming.test(id.name))
        context.report({ node: id, message: `Write the name ${id.name} in lowerCamelCase.` })
    },
  }),
}

/** A path that climbs three folders names a place nobody can see from there. */
const deepImports = {
  create: (context) => {
    const check = ({ source }) => {
      if (/^(\.\.\/){3}.*\.tsx?$/.test(String(source?.value)))
        context.report({ node: source, message: 'Import from the root: `#room/file.ts`, `#cli/…` or `#test/…`.' })
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    }
  },
}

export default {
  meta: { name: 'house' },
  rules: { 'private-members': privateMembers, 'constant-names': constantNames, 'deep-imports': deepImports },
}
