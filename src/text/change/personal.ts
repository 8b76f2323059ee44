/** Data of persons: mail addresses, cards, accounts, telephones, addresses of computers. Linear in the text. */
import { asciiTable, type Finding } from './scan.ts'

const EMAIL =
  /(?<![A-Za-z0-9._%+-])[A-Za-z0-9_%+][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,7}\.[A-Za-z]{2,24}(?![A-Za-z0-9-])/y
const CARD = /(?<![\d.-])[2-6](?:\d[ -]?){12,17}\d(?![\d.]*\d)/g
const IBAN = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g
const PHONE = /(?<![\d+])\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?(?:\d{2,4}[ .-]?){2,4}\d(?!\d)/g
const IP = /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d{1,2})\.){3}(?:25[0-5]|2[0-4]\d|1?\d{1,2})(?![\d.]*\d)/g

/** Characters of the part of an address before the @. */
const IS_OF_LOCAL = asciiTable(/[A-Za-z0-9._%+-]/)
const LONGEST_LOCAL = 64

/** Addresses of mail. */
export function findEmails(text: string, into: Finding[]): void {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at
    while (start > 0 && at - start <= LONGEST_LOCAL && IS_OF_LOCAL[text.charCodeAt(start - 1)] === 1) start--
    if (start === at || at - start > LONGEST_LOCAL) continue
    EMAIL.lastIndex = start
    if (EMAIL.test(text)) into.push({ start, end: EMAIL.lastIndex, kind: 'email' })
  }
}

/** Numbers of payment cards. */
export function findCards(text: string, into: Finding[]): void {
  find(text, CARD, 'card', into, (found) => isCard(found.replace(/\D/g, '')))
}

/** Numbers of bank accounts. */
export function findIbans(text: string, into: Finding[]): void {
  find(text, IBAN, 'iban', into, (found) => isIban(found.replaceAll(' ', '')))
}

/** Telephone numbers. */
export function findPhones(text: string, into: Finding[]): void {
  if (text.includes('+')) find(text, PHONE, 'phone', into)
}

/** Addresses of machines. */
export function findIps(text: string, into: Finding[]): void {
  if (text.includes('.')) find(text, IP, 'ip', into)
}

function find(
  text: string,
  regex: RegExp,
  kind: string,
  into: Finding[],
  isValid: (found: string) => boolean = () => true,
): void {
  for (const { 0: found, index: start } of text.matchAll(regex))
    if (isValid(found)) into.push({ start, end: start + found.length, kind })
}

/** Numbers that networks give out, with their lengths. Without it one in ten numbers of records would be taken for a card. */
const ISSUED = [
  /^4(?:\d{15}|\d{18})$/,
  /^(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^3(?:0[0-5]|[689]\d)\d{11}$/,
  /^(?:6011|64[4-9]\d|65\d\d|62\d\d|35(?:2[89]|[3-8]\d))\d{12,15}$/,
  /^(?:50|5[6-9]|6[0-9])\d{14}$/,
]

/** ISO/IEC 7812: digits of a network with a right last digit (Luhn). */
function isCard(digits: string): boolean {
  if (!ISSUED.some((form) => form.test(digits))) return false
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** ISO 13616: the remainder of its digits, letters counted from 10 on, is 1. */
function isIban(text: string): boolean {
  if (text.length < 15 || text.length > 34) return false
  let remainder = 0
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder === 1
}
