export { areMaps, isMap, shareKey } from './collections.ts'
