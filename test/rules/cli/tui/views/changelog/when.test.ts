import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { distanceText, readTime, whenText } from '#cli/tui/views/changelog/when.ts'

/** A Wednesday, in the zone of whoever runs this. */
const now = new Date(2027, 2, 17, 10, 30)

/** A time of this zone as text. */
const local = (text: string): string | undefined => {
  const read = readTime(text, now)
  if ('trouble' in read) return undefined
  const two = (value: number): string => String(value).padStart(2, '0')
  const { time } = read
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`
}

describe('a time as people type it', () => {
  it.each([
    ['now', '2027-03-17 10:30'],
    ['in 2 hours', '2027-03-17 12:30'],
    ['in an hour', '2027-03-17 11:30'],
    ['90 min', '2027-03-17 12:00'],
    ['in 1 week', '2027-03-24 10:30'],
    ['today 17:00', '2027-03-17 17:00'],
    ['17:00', '2027-03-17 17:00'],
    ['9:00', '2027-03-18 09:00'],
    ['9pm', '2027-03-17 21:00'],
    ['12 am', '2027-03-18 00:00'],
    ['noon', '2027-03-17 12:00'],
    ['tomorrow', '2027-03-18 09:00'],
    ['Tomorrow  9:00', '2027-03-18 09:00'],
    ['tomorrow at 9', '2027-03-18 09:00'],
    ['tomorrow 9', '2027-03-18 09:00'],
    ['friday 14', '2027-03-19 14:00'],
    ['9:15 tomorrow', '2027-03-18 09:15'],
    ['friday', '2027-03-19 09:00'],
    ['wed 8:00', '2027-03-24 08:00'],
    ['wed 18:00', '2027-03-17 18:00'],
    ['next wed 18:00', '2027-03-24 18:00'],
    ['wednesday', '2027-03-24 09:00'],
    ['next monday at 2:30 pm', '2027-03-22 14:30'],
    ['on thursday', '2027-03-18 09:00'],
    ['21 March 9:00', '2027-03-21 09:00'],
    ['march 21st', '2027-03-21 09:00'],
    ['1 Feb, 9:00', '2028-02-01 09:00'],
    ['3rd of april 2029 18:45', '2029-04-03 18:45'],
    ['2027-12-31 23:59', '2027-12-31 23:59'],
    ['2027-12-31T23:59', '2027-12-31 23:59'],
    ['2027-4-1', '2027-04-01 09:00'],
  ])('%s', (text, expected) => {
    expect(local(text)).toBe(expected)
  })

  it.each([
    ['2027-03-18T09:00:00Z', '2027-03-18T09:00:00.000Z'],
    ['2027-03-18t09:00+02:00', '2027-03-18T07:00:00.000Z'],
  ])('%s is that time wherever one is', (text, expected) => {
    const read = readTime(text, now)
    expect('time' in read && read.time.toISOString()).toBe(expected)
  })

  it.each([
    '',
    'soon',
    '25:00',
    '13 pm',
    '9:75',
    '2027-02-30',
    '31 april',
    'today',
    'tomorrow tomorrow',
    '2027-03-18T99:00Z',
    'in constructor',
    '5',
  ])('%j is none, and it says what would be', (text) => {
    const read = readTime(text, now)
    expect('trouble' in read && read.trouble).toContain('tomorrow 9:00')
  })

  it('is never an invalid date, whatever is typed', () => {
    const part = fc.constantFrom(
      'tomorrow',
      'in',
      '9',
      ':',
      '30',
      ' ',
      'pm',
      'march',
      '2027-01-32',
      'T',
      'Z',
      'next',
      'mon',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(part).map((parts) => parts.join('')),
          fc.string(),
        ),
        (text) => {
          const read = readTime(text, now)
          expect('trouble' in read || !Number.isNaN(read.time.getTime())).toBe(true)
        },
      ),
    )
  })
})

describe('a time for people', () => {
  it('has its zone', () => {
    expect(whenText(now)).toMatch(/^Wednesday,? 17 March 2027 at 10:30 \(.*UTC.*\)$/)
  })

  it.each([
    [0, 'now'],
    [5, 'in 5 min'],
    [60, 'in 1 h'],
    [130, 'in 2 h 10 min'],
    [72 * 60, 'in 3 days'],
    [-5, '5 min ago'],
  ])('%i minutes off is %s', (minutes, expected) => {
    expect(distanceText(new Date(now.getTime() + minutes * 60_000), now)).toBe(expected)
  })
})

describe('where clocks go forward and back', () => {
  const zone = process.env['TZ']
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  it('refuses an hour that the day does not have, instead of taking another', () => {
    process.env['TZ'] = 'Europe/Berlin'
    expect(readTime('2027-03-28 02:30', now)).toEqual({
      trouble: 'There is no 02:30 on that day: the clocks go forward then. Choose an hour before or after.',
    })
    expect(readTime('2027-03-28 03:30', now)).toEqual({ time: new Date('2027-03-28T01:30:00Z') })
  })

  it('says the offset of an hour that the day has twice', () => {
    process.env['TZ'] = 'Europe/Berlin'
    const read = readTime('2027-10-31 02:30', now)
    expect('time' in read ? whenText(read.time) : '').toMatch(/at 02:30 \(Europe\/Berlin, UTC\+2\)/)
  })
})
