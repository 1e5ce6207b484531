from app.engine.decoding.word_trees import (
    ENDS,
    MAX_RARE_WORDS,
    OF_NAME,
    RareWord,
    WordTrees,
    position_and_best,
    with_best,
)


def test_translations_that_begin_alike_share_nodes_and_later_nodes_have_larger_numbers() -> None:
    trees = WordTrees([RareWord((1, 2), ((5, 6), (5, 7), (5,))), RareWord((4,), ((8,),))])
    assert [node.token for node in trees.nodes] == [0, 0, 5, 6, 7, 1, 8]
    assert [node.flags for node in trees.nodes] == [0, 0, ENDS, ENDS, ENDS, 0, ENDS]
    assert trees.roots == {1: 1, 2: 1, 4: 5}
    assert all(index < node.child or not node.child for index, node in enumerate(trees.nodes))
    assert all(index < node.sibling or not node.sibling for index, node in enumerate(trees.nodes))


def test_the_nodes_of_a_name_say_so() -> None:
    trees = WordTrees([RareWord((1,), ((3, 4),), is_name=True)])
    assert [node.flags for node in trees.nodes] == [0, OF_NAME, OF_NAME, OF_NAME | ENDS]


def test_of_very_many_words_the_first_are_used() -> None:
    trees = WordTrees([RareWord((index,), ((3,),)) for index in range(100)])
    assert len(trees.roots) == MAX_RARE_WORDS


def test_a_position_may_carry_a_token() -> None:
    assert position_and_best(with_best(7, 0)) == (7, 0)
    assert position_and_best(with_best(0, 16_383)) == (0, 16_383)
    assert position_and_best(7) == (7, None)
