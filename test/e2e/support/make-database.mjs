/** Makes a SQLite file of orders. Runs under a Node that has `node:sqlite`. `argv[2]`: the file, `argv[3]`: how many. */
import { DatabaseSync } from 'node:sqlite'

const database = new DatabaseSync(process.argv[2])
database.exec(
  'CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, state TEXT, total REAL, note TEXT)',
)
database.exec('BEGIN')
const insert = database.prepare('INSERT INTO orders VALUES (?, ?, ?, ?, ?)')
const states = ['open', 'paid', 'sent']
for (let id = 1; id <= Number(process.argv[3]); id++) {
  insert.run(
    id,
    `customer ${id % 97}`,
    states[id % 3],
    (id % 500) / 4,
    id === 4321 ? 'a needle in the rows' : '',
  )
}
database.exec('COMMIT')
database.close()
