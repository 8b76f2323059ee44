import { createMemoryStore } from '../../../src/store/memory.ts'
import { storeContract } from '../../contract/store.ts'

storeContract('memory', async () => ({ store: createMemoryStore() }))
