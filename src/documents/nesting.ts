export { allNested, everyNested, type Nesting, nestedIn, nestedPath, nestingOf } from './collections.ts'
