import { describe, expect, it } from 'vitest'
import { readSymbols } from '#cli/generate/symbols/read.ts'
import { isDeep } from '#test/support/depth.ts'
import { shown, symbolsOf } from './shown.ts'

describe('symbols of Python', () => {
  it('are public names with decorators, hints and docstrings', async () => {
    const text = `"""Keeps things.

More of it.
"""
from __future__ import annotations
from .base import Base
LIMIT: int = 10
_hidden = 1
low, high = 1, 2
type Pairs = list[tuple[str, int]]

@dataclass(frozen=True)
class Store(Base, Generic[T]):
    """A store."""
    name: str = 'x'
    _secret: str

    def __init__(self, path: str, *, strict: bool = False) -> None:
        """Opens it."""

    @property
    def size(self) -> int:
        return 1

    @size.setter
    def size(self, value: int) -> None: ...

    async def find(self, key: str) -> T | None:
        """Finds one."""

    def _private(self): pass

@overload
def load(path: str) -> str: ...
@overload
def load(path: bytes) -> bytes: ...
def load(path):
    """Loads."""

try:
    import fast
except ImportError:
    def größe(x): pass
`
    expect(await shown('a.py', text)).toEqual([
      '7-7 constant LIMIT = LIMIT: int = 10',
      '9-9 variable low = low, high = 1, 2',
      '9-9 variable high = low, high = 1, 2',
      '10-10 type Pairs = type Pairs = list[tuple[str, int]]',
      '12-31 class Store = @dataclass(frozen=True) class Store(Base, Generic[T]) — A store.',
      "  15-15 variable name = name: str = 'x'",
      '  18-19 method __init__ = def __init__(self, path: str, *, strict: bool = False) -> None — Opens it.',
      '  21-23 method size = @property def size(self) -> int',
      '  28-29 method find = async def find(self, key: str) -> T | None — Finds one.',
      '33-38 function load = @overload def load(path: str) -> str; @overload def load(path: bytes) -> bytes — Loads.',
      '43-43 function größe = def größe(x)',
    ])
    expect((await symbolsOf('a.py', text)).doc).toBe('Keeps things.\n\nMore of it.')
  })

  it('are those of __all__ where there is one, also what is imported for it', async () => {
    const text = `from .base import Base, other
__all__ = ['Base', "_odd"]
__all__ += ['late']
def _odd(): pass
def late(): pass
def not_listed(): pass
`
    const file = await symbolsOf('pkg/__init__.py', text, new Set(['pkg/base.py']))
    expect(file.symbols.map(({ name }) => name)).toEqual(['_odd', 'late'])
    expect(file.reexports).toEqual(['from .base import Base'])
    expect(file.imports).toEqual(['pkg/base.py'])
  })

  it('are all public ones where __all__ is put together by the program', async () => {
    const file = await symbolsOf('a.py', "__all__ = ['a'] + b.__all__\ndef a(): pass\ndef c(): pass\n")
    expect(file.symbols.map(({ name }) => name)).toEqual(['a', 'c'])
  })
})

describe('symbols of Go', () => {
  it('begin with a capital letter; methods stand below their type', async () => {
    const text = `// Package store keeps things.
package store

import "fmt"

//go:generate stringer

// Kind of a thing.
type Kind int

// Kinds.
const (
	// Small is small.
	Small Kind = iota
	Large // not small
	hidden
)

var ErrGone, errOther = fmt.Errorf("gone"), fmt.Errorf("other")

// Map is generic.
type Map[K comparable, V any] struct {
	// Name of it.
	Name string \`json:"name"\`
	size int
	*Inner
}

// Get gets.
//
// It may fail.
func (m *Map[K, V]) Get(key K) (value V, err error) { return }
func (m *Map[K, V]) put(key K) {}
func (x hiddenType) Get() {}

type Getter interface {
	fmt.Stringer
	Get(key string) error
}

func New[K comparable, V any](options ...func(*Map[K, V])) *Map[K, V] { return nil }
func Über() {}
func (o Other) Close() error { return nil }
`
    expect(await shown('store.go', text)).toEqual([
      '9-9 type Kind = type Kind int — Kind of a thing.',
      '14-14 constant Small = const Small Kind = iota — Small is small.',
      '15-15 constant Large = const Large — not small',
      '19-19 variable ErrGone = var ErrGone, errOther = fmt.Errorf("gone"), fmt.Errorf("other")',
      '22-27 class Map = type Map[K comparable, V any] struct — Map is generic.',
      '  24-24 property Name = Name string `json:"name"` — Name of it.',
      '  26-26 property Inner = *Inner',
      '  32-32 method Get as Map.Get = func (m *Map[K, V]) Get(key K) (value V, err error) — Get gets.\n\nIt may fail.',
      '36-39 interface Getter = type Getter interface',
      '  37-37 property fmt.Stringer = fmt.Stringer',
      '  38-38 method Get = Get(key string) error',
      '41-41 function New = func New[K comparable, V any](options ...func(*Map[K, V])) *Map[K, V]',
      '42-42 function Über = func Über()',
      '43-43 method Close as Other.Close = func (o Other) Close() error',
    ])
    expect((await symbolsOf('store.go', text)).doc).toBe('Package store keeps things.')
  })
})

describe('symbols of Rust', () => {
  it('are pub, with what impl blocks add, and exported macros', async () => {
    const text = `//! Keeps things.
//! Well.

/// A store.
#[derive(Debug, Clone)]
pub struct Store<T: Clone> where T: Copy {
    /// Its name.
    pub name: String,
    size: usize,
}

pub(crate) struct Hidden;
pub struct Pair(pub i32, pub i32);

impl<T: Clone> Store<T> {
    /// Opens one.
    pub fn open(path: &str) -> Result<Self, Error> { todo!() }
    fn private(&self) {}
    pub const LIMIT: usize = 3;
}

impl<T> Display for Store<T> { fn fmt(&self) {} }
impl Hidden { pub fn no() {} }
impl Elsewhere { pub async fn late(&self) {} }

pub trait Keep: Sized {
    type Item;
    /// Keeps.
    fn keep(&self, item: Self::Item);
    fn twice(&self) {}
}

pub enum Shape { /// Round.
    Circle { r: f64 }, Point(f64, f64), None }

/// Makes one.
#[macro_export]
macro_rules! store { ($name:expr) => { $name } }
macro_rules! inner { () => {} }

pub mod nested { /// Deep.
    pub fn deep() {} fn not() {} }
pub use crate::other::{Thing, More as Less};
#[doc(hidden)]
pub fn unseen() {}
`
    expect(await shown('src/lib.rs', text)).toEqual([
      '6-10 class Store = #[derive(Debug, Clone)] pub struct Store<T: Clone> where T: Copy — A store.',
      '  8-8 property name = pub name: String — Its name.',
      '  17-17 method open = pub fn open(path: &str) -> Result<Self, Error> — Opens one.',
      '  19-19 constant LIMIT = pub const LIMIT: usize = 3',
      '  22-22 type impl<T> Display for Store<T> = impl<T> Display for Store<T>',
      '13-13 class Pair = pub struct Pair(pub i32, pub i32)',
      '26-31 interface Keep = pub trait Keep: Sized',
      '  27-27 type Item = type Item',
      '  29-29 method keep = fn keep(&self, item: Self::Item) — Keeps.',
      '  30-30 method twice = fn twice(&self)',
      '33-34 enum Shape = pub enum Shape',
      '  34-34 constant Circle = Circle { r: f64 } — Round.',
      '  34-34 constant Point = Point(f64, f64)',
      '  34-34 constant None = None',
      '38-38 macro store = macro_rules! store { ($name:expr) } — Makes one.',
      '41-42 module nested = pub mod nested',
      '  42-42 function deep = pub fn deep() — Deep.',
      '24-24 type impl Elsewhere = impl Elsewhere',
      '  24-24 method late = pub async fn late(&self)',
    ])
    const file = await symbolsOf('src/lib.rs', `${text}mod other;\n`, new Set(['src/other.rs']))
    expect([file.doc, file.reexports, file.imports]).toEqual([
      'Keeps things.\nWell.',
      ['pub use crate::other::{Thing, More as Less}'],
      ['src/other.rs'],
    ])
  })
})

describe('symbols of Java', () => {
  it('are public and protected, nested ones within', async () => {
    const text = `package org.quire.store;

import java.util.List;
import org.quire.base.Base;

/**
 * A store.
 */
@Deprecated
public abstract class Store<T extends Comparable<T>> extends Base implements Sized {
  /** How many. */
  public static final int LIMIT = 10, LOWER = 1;
  private int size;
  int inPackage;

  protected Store(String path) throws IOException { }

  /** Finds. */
  @Override
  public <R> List<R> find(final T key, int... more) { return null; }

  public enum Kind { /** Small. */ SMALL, LARGE(2) { void x() {} }; public int of() { return 1; } }
  public record Pair(int a, String b) { public int sum() { return a; } }
  public interface Visitor { void visit(Store<?> store); private void not() {} int X = 1; }
  static class Hidden { public void no() {} }
}

@interface Unseen {}
`
    expect(await shown('Store.java', text)).toEqual([
      '9-26 class Store = @Deprecated public abstract class Store<T extends Comparable<T>> extends Base implements Sized — A store.',
      '  12-12 constant LIMIT = public static final int LIMIT = 10 — How many.',
      '  12-12 constant LOWER = public static final int LOWER = 1 — How many.',
      '  16-16 method Store = protected Store(String path) throws IOException',
      '  19-20 method find = public <R> List<R> find(final T key, int... more) — Finds.',
      '  22-22 enum Kind = public enum Kind',
      '    22-22 constant SMALL = SMALL — Small.',
      '    22-22 constant LARGE = LARGE(2)',
      '    22-22 method of = public int of()',
      '  23-23 class Pair = public record Pair(int a, String b)',
      '    23-23 method sum = public int sum()',
      '  24-24 interface Visitor = public interface Visitor',
      '    24-24 method visit = void visit(Store<?> store)',
      '    24-24 constant X = int X = 1',
    ])
    const tree = new Set(['src/org/quire/base/Base.java'])
    expect((await symbolsOf('src/org/quire/store/Store.java', text, tree)).imports).toEqual([...tree])
  })
})

describe('reading symbols', () => {
  it('leaves other languages alone', async () => {
    expect(await readSymbols('a.css', 'a {}')).toBeUndefined()
  })

  it.each([
    ['a.ts', '('],
    ['a.ts', 'export declare '],
    ['a.ts', 'a<'],
    ['a.js', 'exports.a = '],
    ['a.py', '"""'],
    ['a.py', '@a\n'],
    ['a.go', '// x\n'],
    ['a.rs', 'pub mod a {'],
    ['A.java', 'public class A {'],
  ])('of %s comes to an end with nothing but %j', async (path, piece) => {
    const file = await symbolsOf(path, piece.repeat(Math.ceil((isDeep ? 300_000 : 30_000) / piece.length)))
    expect(file.path).toBe(path)
  })

  it('tells that it left out what is too much', async () => {
    const text = Array.from({ length: 6_000 }, (_none, index) => `export const a${index} = 1\n`).join('')
    const file = await symbolsOf('a.ts', text)
    expect(file.truncated).toBe(true)
    expect(file.symbols.length).toBeLessThanOrEqual(5_000)
    expect(file.symbols.length).toBeGreaterThan(0)
  })
})
