/** A shop on one page, as large as such pages are: what a click changes is small beside it. */
import { createServer } from 'node:http'

const COLOURS = [
  'Amber',
  'Black',
  'Blue',
  'Brown',
  'Coral',
  'Green',
  'Grey',
  'Ivory',
  'Olive',
  'Pink',
  'Red',
  'White',
]
const THINGS = [
  'Armchair',
  'Basket',
  'Bench',
  'Blanket',
  'Bookcase',
  'Bowl',
  'Cabinet',
  'Candle',
  'Carpet',
  'Clock',
  'Curtain',
  'Cushion',
  'Desk',
  'Drawer',
  'Kettle',
  'Lamp',
  'Mirror',
  'Mug',
  'Pillow',
  'Shelf',
  'Sofa',
  'Stool',
  'Table',
  'Vase',
  'Wardrobe',
]
const PRODUCTS = COLOURS.flatMap((colour, c) =>
  THINGS.map((thing, t) => ({
    name: `${colour} ${thing}`,
    price: 5 + ((c * 37 + t * 53) % 400),
    stock: (c + t) % 4,
  })),
)

/** The elements that a user clicks, one after the other, by role and name. */
export const CLICKS = [
  ['button', 'Add Amber Lamp to the cart'],
  ['button', 'Add Ivory Sofa to the cart'],
  ['button', 'Cart (2)'],
  ['button', 'One more Ivory Sofa'],
  ['button', 'One more Ivory Sofa'],
  ['button', 'Take Amber Lamp out'],
  ['button', 'Close the cart'],
  ['tab', 'Delivery'],
  ['radio', 'Express, tomorrow'],
  ['tab', 'Products'],
  ['button', 'Details of Green Clock'],
  ['checkbox', 'Engraving'],
  ['button', 'Add to the wish list'],
  ['button', 'Back to the products'],
  ['button', 'Add Red Mug to the cart'],
  ['button', 'Add White Vase to the cart'],
  ['link', 'Wish list (1)'],
  ['button', 'Cart (5)'],
  ['button', 'Check out'],
  ['button', 'Place the order'],
]

const HTML = `<!doctype html><html lang="en"><title>Shop</title><body>
<header><h1>Shop</h1><nav aria-label="Main">
${['Home', 'New', 'Living', 'Sleeping', 'Kitchen', 'Garden', 'Sale', 'Help'].map((name) => `<a href="#${name}">${name}</a>`).join(' ')}
<a href="#wish" id="wish">Wish list (0)</a> <button id="cart">Cart (0)</button></nav>
<input type="search" aria-label="Search the shop"></header>
<div role="tablist"><button role="tab" id="t1" aria-selected="true">Products</button><button role="tab" id="t2" aria-selected="false">Delivery</button></div>
<main>
<section id="delivery" hidden><h2>Delivery</h2>
${['Standard, three days', 'Express, tomorrow', 'Collect at the shop'].map((name, at) => `<label><input type="radio" name="d"${at === 0 ? ' checked' : ''}>${name}</label>`).join('')}</section>
<section id="products"><h2>Products</h2><table aria-label="Products"><thead><tr><th>Product<th>Price<th>In stock<th>Actions</tr></thead><tbody>
${PRODUCTS.map(({ name, price, stock }) => `<tr><td><a href="#${name.replace(' ', '-')}">${name}</a><td>${price}.00<td>${stock === 0 ? 'no' : stock * 7}<td><button data-add="${name}">Add ${name} to the cart</button> <button data-show="${name}">Details of ${name}</button></tr>`).join('\n')}
</tbody></table></section></main>
<section id="detail" hidden></section><div id="dialog"></div><p role="status" id="status"></p>
<script>
const cart = new Map(); const wishes = new Set()
const by = (id) => document.getElementById(id)
const say = (text) => { by('status').textContent = text }
function counts() {
  by('cart').textContent = 'Cart (' + [...cart.values()].reduce((a, b) => a + b, 0) + ')'
  by('wish').textContent = 'Wish list (' + wishes.size + ')'
}
function showCart() {
  by('dialog').innerHTML = '<div role="dialog" aria-label="Your cart"><ul>' + [...cart].map(([name, n]) => '<li>' + n + ' × ' + name +
    ' <button data-more="' + name + '">One more ' + name + '</button> <button data-out="' + name + '">Take ' + name + ' out</button></li>').join('') +
    '</ul><button data-out-of>Check out</button> <button data-close>Close the cart</button></div>'
}
document.addEventListener('click', ({ target }) => {
  const { dataset, id } = target
  if (dataset.add) { cart.set(dataset.add, (cart.get(dataset.add) ?? 0) + 1); say(dataset.add + ' is in the cart') }
  if (id === 'cart') showCart()
  if (dataset.more) { cart.set(dataset.more, cart.get(dataset.more) + 1); showCart() }
  if (dataset.out) { cart.delete(dataset.out); showCart() }
  if (dataset.close !== undefined) by('dialog').innerHTML = ''
  if (dataset.outOf !== undefined) by('dialog').innerHTML = '<div role="dialog" aria-label="Order"><p>The order is ready.</p><button data-order>Place the order</button></div>'
  if (dataset.order !== undefined) { by('dialog').innerHTML = ''; cart.clear(); say('Thank you for the order') }
  if (id === 't1' || id === 't2') {
    by('products').hidden = id === 't2'; by('delivery').hidden = id === 't1'
    by('t1').ariaSelected = String(id === 't1'); by('t2').ariaSelected = String(id === 't2')
  }
  if (dataset.show) {
    by('products').hidden = true; by('detail').hidden = false
    by('detail').innerHTML = '<h2>' + dataset.show + '</h2><label><input type="checkbox">Engraving</label><button data-wish="' + dataset.show +
      '">Add to the wish list</button><button data-back>Back to the products</button>'
  }
  if (dataset.wish) { wishes.add(dataset.wish); say(dataset.wish + ' is on the wish list') }
  if (dataset.back !== undefined) { by('products').hidden = false; by('detail').hidden = true }
  counts()
})
</script></body></html>`

/** Serves the page on a port of the loopback interface that is free. */
export async function servePage() {
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html; charset=utf-8').end(HTML),
  )
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }
}
