export * from '../query/inner-fields.ts'
